# SPDX-License-Identifier: MIT
#
# clopt.R - the library for R, on the glue of clopt_r.c:
#
#     PKG_CPPFLAGS=$(pkg-config --cflags clopt) PKG_LIBS=$(pkg-config --libs clopt) \
#         R CMD SHLIB clopt_r.c
#
#     source("clopt.R"); clopt_load("clopt_r.so")
#     ctx <- clopt_open()
#     c <- clopt_matmul(ctx, a, b)
#
# A failure is a condition of class clopt_error, with message and status.  Points, bodies and
# velocities are matrices of four columns: x, y, z and a charge or mass; targets may have three.
# Options are named arguments: clopt_nbody(ctx, p, softening = 0.01).

clopt_precision <- c(default = 0, float = 1, compensated = 2, double_single = 3, double = 4,
                     best = 5)
clopt_law <- c(coulomb = 1, distance4 = 2, debye = 3)
clopt_integrator <- c(kick_drift_kick = 0, hermite = 1)

clopt_load <- function(file) invisible(dyn.load(file))

clopt_checked <- function(result) {
  caller <- sys.call(-1)
  if (inherits(result, "clopt_failure"))
    stop(structure(class = c("clopt_error", "error", "condition"),
                   list(message = result$message, call = caller, status = result$status)))
  result
}

clopt_open <- function(device = NULL) clopt_checked(.Call("clopt_r_open", device))
clopt_close <- function(ctx) invisible(.Call("clopt_r_close", ctx))
clopt_strerror <- function(status) .Call("clopt_r_strerror", status)

# An error if a result is wrong here.
clopt_selfcheck <- function(ctx) invisible(clopt_checked(.Call("clopt_r_selfcheck", ctx)))

# a %*% b of real or complex matrices.
clopt_matmul <- function(ctx, a, b) {
  stopifnot(is.matrix(a), is.matrix(b), ncol(a) == nrow(b))
  type <- if (is.complex(a) || is.complex(b)) "complex" else "double"
  storage.mode(a) <- storage.mode(b) <- type
  clopt_checked(.Call("clopt_r_matmul", ctx, a, b))
}

clopt_transpose <- function(ctx, a) {
  stopifnot(is.matrix(a), is.numeric(a) || is.complex(a) || is.logical(a))
  clopt_checked(.Call("clopt_r_transpose", ctx, a))
}

clopt_points <- function(p, columns) {
  stopifnot(is.matrix(p), is.numeric(p), ncol(p) >= columns)
  storage.mode(p) <- "double"
  p
}

clopt_named <- function(options, known) {
  unknown <- setdiff(names(options), known)
  if (length(unknown) || length(options) != sum(names(options) != ""))
    stop("options are named ", toString(known), if (length(unknown)) "; not ", toString(unknown))
  options
}

# The potential of the sources at the targets.  law = clopt_law["debye"], kappa, scale, ...
clopt_potential <- function(ctx, sources, targets = sources, ...)
  clopt_checked(.Call("clopt_r_potential", ctx, clopt_points(sources, 4), clopt_points(targets, 3),
                      clopt_named(list(...), c("law", "precision", "scale", "eps_in", "eps_out",
                                               "kappa"))))

# Accelerations and the potential, four columns.
clopt_nbody <- function(ctx, sources, targets = sources, ...)
  clopt_checked(.Call("clopt_r_nbody", ctx, clopt_points(sources, 4), clopt_points(targets, 3),
                      clopt_named(list(...), c("g", "softening", "precision"))))

# Bodies and velocities some steps later, as a list.  each(step, bodies, velocities, energy) is
# called every so many steps (every = 10), and ends the run by FALSE or an error.
clopt_evolve <- function(ctx, bodies, velocities, dt, steps, each = NULL, ...) {
  stopifnot(is.null(each) || is.function(each), identical(dim(bodies), dim(velocities)),
            ncol(bodies) == 4, steps >= 0)
  clopt_checked(.Call("clopt_r_evolve", ctx, clopt_points(bodies, 4), clopt_points(velocities, 4),
                      as.double(dt), as.double(steps),
                      clopt_named(list(...), c("g", "softening", "integrator", "precision",
                                               "every")), each))
}
