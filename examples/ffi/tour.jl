# SPDX-License-Identifier: MIT
#
# tour.jl - the library from Julia: a product, a transpose, the potential in a crystal,
# a ring of bodies that turns.  Each result is compared with plain loops or a formula.
# Not run by the tests: Debian has no Julia.
#
#     julia tour.jl
using Printf

include("clopt.jl")

expect(what, got, want, bound) =
    all(abs.(got .- want) .<= bound) || error("$what: wrong by up to $(maximum(abs.(got .- want)))")

ctx = Clopt.open()

a = [Float64((3i + 5l) % 7 - 3) for i in 0:36, l in 0:28]
b = [Float64((2l + 7j) % 5 - 2) for l in 0:28, j in 0:40]
c = Clopt.matmul(ctx, a, b)
expect("matmul", c, [sum(a[i, l] * b[l, j] for l in 1:29) for i in 1:37, j in 1:41], 0)
@printf("matmul     37 x 29 x 41: last %.0f, weighted sum %.0f\n", c[end], sum((1:37) .* c))

t = Clopt.transpose(ctx, a)
expect("transpose", t, [a[i, l] for l in 1:29, i in 1:37], 0)
@printf("transpose  last row begins with %.0f\n", t[end, 1])

# Ions of charge 1 and -1 by turns, a unit apart: rock salt.
ions = zeros(4, 512)
for i in 0:511
    at = (i ÷ 64, i ÷ 8 % 8, i % 8)
    ions[:, i + 1] .= (at..., 1 - 2 * (sum(at) % 2))
end
phi = Clopt.potential(ctx, ions)
distance(i, j) = sqrt(sum(abs2, ions[1:3, i] - ions[1:3, j]))
expect("potential", phi, [sum(ions[4, j] / distance(i, j) for j in 1:512 if j != i) for i in 1:512],
       1e-10)
@printf("potential  energy per pair of ions %.4f\n", sum(ions[4, :] .* phi) / 2 / 256)

# Six bodies on a circle of radius 1, of mass 1 in all, attract each other towards the centre by
# pull = (1/24) sum over k of 1 / sin(pi k / 6).  With a velocity of sqrt(pull) the ring turns.
pull = sum(1 / sin(pi * k / 6) / 24 for k in 1:5)
bodies = reduce(hcat, [[cos(f), sin(f), 0, 1 / 6] for f in pi / 3 * (0:5)])
velocities = sqrt(pull) * reduce(hcat, [[-sin(f), cos(f), 0, 0] for f in pi / 3 * (0:5)])
first_place = copy(bodies)
acc = Clopt.nbody(ctx, bodies)
expect("nbody", acc[1:3, :], -pull * bodies[1:3, :], 1e-12)
@printf("nbody      acceleration %.4f towards the centre\n", sqrt(sum(abs2, acc[1:3, 1])))

# Once round in 400 steps; the callback sees each quarter.
print("evolve     energy")
Clopt.evolve(ctx, bodies, velocities, 2pi / sqrt(pull) / 400, 400;
             integrator = Clopt.HERMITE, every = 100) do step, b, v, sums
    @printf(", step %d: %.4f", step, sums.kinetic + sums.potential)
    true
end
println()
expect("evolve", bodies, first_place, 1e-5)

# An error in the callback ends the run and comes out of it.
try
    Clopt.evolve(ctx, bodies, velocities, 1e-3, 400; integrator = Clopt.HERMITE,
                 every = 1) do step, _...
        step == 3 && error("enough at step 3")
        true
    end
catch e
    println("callback   ", e.msg)
end

try
    Clopt.open("no such device")
catch e
    println("error      ", e.status, ", ", Clopt.strerror(e.status))
end
Clopt.close(ctx)
