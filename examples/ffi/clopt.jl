# SPDX-License-Identifier: MIT
#
# clopt.jl - the library for Julia, by ccall.  Not run by the tests: Debian has no Julia.  Structs, constants and
# functions of C are in clopt_c.jl, which has to lie beside it; make writes that from the headers.
#
#     include("clopt.jl"); using .Clopt
#     ctx = Clopt.open()
#     c = Clopt.matmul(ctx, a, b)
#
# A failure is a CloptError with the library's text.  An exception in a callback does not pass
# through C: it ends the call, and is thrown again after it.  Points, bodies and velocities are
# 4 x n matrices of Float64: columns of x, y, z and a charge or mass.
module Clopt

include("clopt_c.jl")

const HERMITE = CLOPT_INTEGRATOR_HERMITE

struct CloptError <: Exception
    status::Cint
    text::String
end
Base.showerror(io::IO, e::CloptError) = print(io, e.text)

"A status in a few words."
strerror(status) = unsafe_string(clopt_strerror(status))

function check(status, ptr = C_NULL)
    status == 0 && return
    text = unsafe_string(clopt_error(ptr))
    throw(CloptError(status, isempty(text) ? strerror(status) : text))
end

"Columns of x, y, z and a weight, as C takes them; p has to live as long."
function points(p::Matrix{Float64})
    size(p, 1) == 4 || throw(CloptError(CLOPT_EINVAL, "points are 4 x n, not $(size(p))"))
    s = Points()
    s.n = size(p, 2)
    s.stride_bytes = 4 * sizeof(Float64)
    s.x, s.y, s.z, s.w = pointer(p), pointer(p, 2), pointer(p, 3), pointer(p, 4)
    s
end

mutable struct Context
    ptr::Ptr{Cvoid}
end

"A context on the best device there is, or on one as CLOPT_DEVICE says."
function open(device::Union{String,Nothing} = nothing)
    o = Options()
    ptr = Ref{Ptr{Cvoid}}(C_NULL)
    GC.@preserve device begin
        device === nothing || (o.device = pointer(device))
        check(clopt_open(ptr, o))
    end
    finalizer(close, Context(ptr[]))
end

function close(ctx::Context)
    clopt_close(ctx.ptr)
    ctx.ptr = C_NULL
    nothing
end

# The factors of complex products are passed by pointer.
for (T, gemm, factor) in ((Float32, :clopt_sgemm, identity), (Float64, :clopt_dgemm, identity),
                          (ComplexF32, :clopt_cgemm, Ref), (ComplexF64, :clopt_zgemm, Ref))
    @eval function matmul(ctx::Context, a::Matrix{$T}, b::Matrix{$T})
        m, k = size(a)
        n = size(b, 2)
        size(b, 1) == k || throw(DimensionMismatch("$(size(a)) by $(size(b))"))
        c = Matrix{$T}(undef, m, n)
        check($gemm(ctx.ptr, CLOPT_LAYOUT_COL_MAJOR, CLOPT_TRANS_NO, CLOPT_TRANS_NO, m, n, k,
                    $factor(one($T)), a, max(m, 1), b, max(k, 1), $factor(zero($T)), c, max(m, 1)),
              ctx.ptr)
        c
    end
end

"The transpose; Julia's columns are rows for C."
function transpose(ctx::Context, a::Matrix{T}) where {T}
    isbitstype(T) || throw(CloptError(CLOPT_EINVAL, "elements of $T are no plain bits"))
    m, n = size(a)
    t = Matrix{T}(undef, n, m)
    check(clopt_transpose(ctx.ptr, n, m, sizeof(T), a, max(m, 1), t, max(n, 1)), ctx.ptr)
    t
end

"Throws if a result is wrong here."
selfcheck(ctx::Context) =
    check(ccall((:clopt_selfcheck, lib), Cint, (Ptr{Cvoid}, Ptr{Cvoid}), ctx.ptr, C_NULL), ctx.ptr)

"The Coulomb potential of the sources at the targets."
function potential(ctx::Context, sources::Matrix{Float64}, targets::Matrix{Float64} = sources)
    phi = Vector{Float64}(undef, size(targets, 2))
    GC.@preserve sources targets phi begin
        r = Results()
        r.phi = pointer(phi)
        check(clopt_potential_points(ctx.ptr, points(sources), points(targets), r,
                                     PotentialOptions()), ctx.ptr)
    end
    phi
end

"Accelerations, and the potential: 4 x n."
function nbody(ctx::Context, sources::Matrix{Float64}, targets::Matrix{Float64} = sources;
               g = 0.0, softening = 0.0)
    acc = Matrix{Float64}(undef, 4, size(targets, 2))
    o = NbodyOptions()
    o.g, o.softening = g, softening
    GC.@preserve sources targets acc begin
        r = Results()
        r.stride_bytes = 4 * sizeof(Float64)
        r.x, r.y, r.z, r.phi = pointer(acc), pointer(acc, 2), pointer(acc, 3), pointer(acc, 4)
        check(clopt_gravity(ctx.ptr, points(sources), points(targets), r, o), ctx.ptr)
    end
    acc
end

# The function of the caller's, and what it threw.
mutable struct Observer
    each::Any
    n::Int
    thrown::Any
end

function observe(user::Ptr{Cvoid}, step::Csize_t, bodies::Ptr{Cdouble}, velocities::Ptr{Cdouble},
                 sums::Ptr{Conserved})::Cint
    o = unsafe_pointer_to_objref(user)::Observer
    try
        b = unsafe_wrap(Array, bodies, (4, o.n))
        v = unsafe_wrap(Array, velocities, (4, o.n))
        o.each(Int(step), b, v, unsafe_load(sums)) === false ? 1 : 0
    catch e
        o.thrown = e
        1
    end
end

"Moves bodies in place. each(step, bodies, velocities, sums) ends the run by false."
function evolve(each, ctx::Context, bodies::Matrix{Float64}, velocities::Matrix{Float64}, dt, steps;
                g = 0.0, softening = 0.0, integrator = 0, every = 0)
    size(bodies, 1) == 4 && size(bodies) == size(velocities) ||
        throw(DimensionMismatch("bodies are $(size(bodies)), velocities $(size(velocities))"))
    observer = Observer(each, size(bodies, 2), nothing)
    o = EvolveOptions()
    o.g, o.softening, o.integrator, o.every = g, softening, integrator, every
    status = GC.@preserve observer begin
        o.each = @cfunction(observe, Cint,
                            (Ptr{Cvoid}, Csize_t, Ptr{Cdouble}, Ptr{Cdouble}, Ptr{Conserved}))
        o.user = pointer_from_objref(observer)
        clopt_nbody_evolve(ctx.ptr, size(bodies, 2), bodies, velocities, dt, steps, o)
    end
    observer.thrown === nothing || throw(observer.thrown)
    check(status, ctx.ptr)
end

end
