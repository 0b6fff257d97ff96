# SPDX-License-Identifier: MIT
#
# tour.R - the library from R: a product, a transpose, the potential in a crystal,
# a ring of bodies that turns.  Each result is compared with plain loops or a formula.
#
#     Rscript tour.R clopt_r.so        (clopt.R says how to build it)
folder <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
source(file.path(folder, "clopt.R"))
clopt_load(commandArgs(TRUE)[1])

right <- TRUE
expect <- function(what, error, bound)
  if (!isTRUE(error <= bound)) {
    cat(what, "wrong by", error, "\n")
    right <<- FALSE
  }

ctx <- clopt_open()

a <- outer(0:36, 0:28, function(i, l) (3 * i + 5 * l) %% 7 - 3)
b <- outer(0:28, 0:40, function(l, j) (2 * l + 7 * j) %% 5 - 2)
product <- clopt_matmul(ctx, a, b)
want <- matrix(0, 37, 41)
for (l in 1:29)
  want <- want + outer(a[, l], b[l, ])
expect("matmul", max(abs(product - want)), 0)
cat(sprintf("matmul     37 x 29 x 41: last %.0f, weighted sum %.0f\n", product[37, 41],
            sum(1:37 * product)))

turned <- clopt_transpose(ctx, a)
for (i in 1:37)
  expect("transpose", max(abs(turned[, i] - a[i, ])), 0)
cat(sprintf("transpose  last row begins with %.0f\n", turned[29, 1]))

# Ions of charge 1 and -1 by turns, a unit apart: rock salt.
at <- as.matrix(expand.grid(z = 0:7, y = 0:7, x = 0:7))[, 3:1]
ions <- cbind(at, 1 - 2 * (rowSums(at) %% 2))
phi <- clopt_potential(ctx, ions)
for (i in 1:512) {
  d <- sqrt(colSums((t(ions[-i, 1:3]) - ions[i, 1:3])^2))
  expect("potential", abs(phi[i] - sum(ions[-i, 4] / d)), 1e-10)
}
cat(sprintf("potential  energy per pair of ions %.4f\n", sum(ions[, 4] * phi) / 2 / 256))

# Six bodies on a circle of radius 1, of mass 1 in all, attract each other towards the centre by
# a = (1/24) sum over k of 1 / sin(pi k / 6).  With a velocity of sqrt(a) the ring turns.
pull <- sum(1 / sin(pi * 1:5 / 6)) / 24
angle <- pi * 0:5 / 3
ring <- cbind(cos(angle), sin(angle), 0, 1 / 6)
velocities <- sqrt(pull) * cbind(-sin(angle), cos(angle), 0, 0)
acc <- clopt_nbody(ctx, ring)
expect("nbody", max(abs(acc[, 1:3] + pull * ring[, 1:3])), 1e-12)
cat(sprintf("nbody      acceleration %.4f towards the centre\n", sqrt(sum(acc[1, 1:3]^2))))

# Once round in 400 steps; the callback sees each quarter.
cat("evolve     energy")
moved <- clopt_evolve(ctx, ring, velocities, 2 * pi / sqrt(pull) / 400, 400,
                      function(step, bodies, velocities, energy)
                        cat(sprintf(", step %.0f: %.4f", step, energy)),
                      integrator = clopt_integrator["hermite"], every = 100)
cat("\n")
expect("evolve", max(abs(moved$bodies - ring)), 1e-5)

# An error in the callback ends the run and comes out of it.
tryCatch(clopt_evolve(ctx, ring, velocities, 1e-3, 400,
                      function(step, ...) if (step == 3) stop("enough at step 3"),
                      integrator = clopt_integrator["hermite"], every = 1),
         error = function(e) cat(sprintf("callback   %s\n", conditionMessage(e))))

tryCatch(clopt_open("no such device"),
         clopt_error = function(e) cat(sprintf("error      %d, %s\n", e$status,
                                               clopt_strerror(e$status))))
clopt_close(ctx)
quit(status = if (right) 0 else 1)
