# SPDX-License-Identifier: MIT
#
# check.R FOLDER LIBRARY - clopt.R of this folder, on this glue: kinds of matrices, options, errors
# with their numbers, observers that end a run.
arguments <- commandArgs(TRUE)
source(file.path(arguments[1], "clopt.R"))
clopt_load(arguments[2])
failed <- FALSE
expect <- function(right, what)
  if (!isTRUE(right)) {
    cat("check.R:", what, "\n")
    failed <<- TRUE
  }
failure <- function(expression)
  tryCatch({ expression; "" }, error = conditionMessage)

ctx <- clopt_open()
a <- matrix(complex(real = 1:6, imaginary = 6:1), 2, 3)
expect(identical(clopt_matmul(ctx, a, t(a)), a %*% t(a)), "a complex product")
expect(identical(clopt_matmul(ctx, a, matrix(1:3, 3, 1)), a %*% (1:3 + 0i)), "a product of two types")
expect(identical(dim(clopt_matmul(ctx, matrix(0, 2, 0), matrix(0, 0, 3))), c(2L, 3L)), "no terms")
for (m in list(a, matrix(1:6, 2), matrix(c(TRUE, NA, FALSE), 1), matrix(c(0.5, NA, 2), 3)))
  expect(identical(clopt_transpose(ctx, m), t(m)), "a transpose")
expect(grepl("ncol(a) == nrow(b)", failure(clopt_matmul(ctx, a, a)), fixed = TRUE), "sizes")

p <- rbind(c(0, 0, 0, 2), c(3, 4, 0, -1))
expect(all(abs(clopt_potential(ctx, p) - c(-0.2, 0.4)) < 1e-12), "a potential")
expect(all(abs(clopt_potential(ctx, p, p[, 1:3], law = clopt_law["debye"], kappa = 0.1, scale = 2) -
                 c(-0.4, 0.8) * exp(-0.5)) < 1e-6), "Debye's law")
expect(all(abs(clopt_nbody(ctx, p, softening = 12)[2, ] - c(-6 / 2197, -8 / 2197, 0, -2 / 13)) <
             1e-12), "softened gravity")
expect(grepl("eps_in", failure(clopt_potential(ctx, p, eps_in = -1))), "an option out of range")
expect(grepl("not epsilon", failure(clopt_potential(ctx, p, epsilon = 1))), "no such option")
refused <- tryCatch(clopt_potential(ctx, p, eps_in = -1), clopt_error = identity)
expect(identical(refused$status, -20001L), "the status of an error")

last <- -1
moved <- clopt_evolve(ctx, p, 0 * p, 1e-3, 100, function(step, bodies, velocities, energy) {
  last <<- step
  identical(dim(bodies), dim(velocities)) && is.finite(energy) && step < 6
}, every = 2)
expect(last == 6 && identical(dim(moved$bodies), dim(p)), "a run that its observer ends")
clopt_close(ctx)
clopt_close(ctx)
for (other in list(p, NULL, getNativeSymbolInfo("clopt_r_open")$address))
  expect(grepl("not a context", failure(clopt_close(other))), "closing what is no context")
expect(grepl("closed", failure(clopt_transpose(ctx, p))), "a context that is closed")
quit(status = as.integer(failed))
