# SPDX-License-Identifier: MIT
#
# clopt.jl - the library for Julia, by ccall.  Not run by the tests: Debian has no Julia.
#
#     include("clopt.jl"); using .Clopt
#     ctx = Clopt.open()
#     c = Clopt.matmul(ctx, a, b)
#
# A failure is a CloptError with the library's text.  An exception in a callback does not pass
# through C: it ends the call, and is thrown again after it.  Points, bodies and velocities are
# 4 x n matrices of Float64: columns of x, y, z and a charge or mass.
module Clopt

const lib = "libclopt.so.0.3"

const COL_MAJOR, TRANS_NO = Cint(102), Cint(111)
const EINVAL = Cint(-20001)
const HERMITE = Cint(1)

struct CloptError <: Exception
    status::Cint
    text::String
end
Base.showerror(io::IO, e::CloptError) = print(io, e.text)

"A status in a few words."
strerror(status) = unsafe_string(ccall((:clopt_strerror, lib), Cstring, (Cint,), status))

function check(status, ptr = C_NULL)
    status == 0 && return
    text = unsafe_string(ccall((:clopt_error, lib), Cstring, (Ptr{Cvoid},), ptr))
    throw(CloptError(status, isempty(text) ? strerror(status) : text))
end

# The structs of clopt.h.  Their functions clopt_*_init set the defaults.
mutable struct Options
    size::Csize_t
    device::Ptr{UInt8}
    variants::Ptr{UInt8}
    mem_limit_bytes::Csize_t
    queues::Cuint
    profile::Cint
    verbose::Cint
    check::Cint
    transfer::Cint
    copy_threads::Cuint
    chunk_bytes::Csize_t
    slice_seconds::Cdouble
    tuning::Ptr{UInt8}
    cache_dir::Ptr{UInt8}
    cache_bytes::Csize_t
    quirks::Ptr{UInt8}
    log::Ptr{Cvoid}
    log_user::Ptr{Cvoid}
    progress::Ptr{Cvoid}
    progress_user::Ptr{Cvoid}
    keep_output::Cint
    share::Cint
    small::Cint
    reserved::Cint
    function Options()
        o = new()
        ccall((:clopt_options_init, lib), Cvoid, (Ref{Options}, Csize_t), o, sizeof(Options))
        o
    end
end

mutable struct NbodyOptions
    size::Csize_t
    g::Cdouble
    softening::Cdouble
    precision::Cint
    target_softening::Cint
    potential::Cint
    reserved::Cint
    group::Ptr{Cvoid}
    tolerance::Cdouble
    theta::Cdouble
    order::Cuint
    tree_reserved::Cuint
    function NbodyOptions()
        o = new()
        ccall((:clopt_nbody_options_init, lib), Cvoid, (Ref{NbodyOptions}, Csize_t), o,
              sizeof(NbodyOptions))
        o
    end
end

mutable struct EvolveOptions
    size::Csize_t
    g::Cdouble
    softening::Cdouble
    integrator::Cint
    precision::Cint
    every::Csize_t
    each::Ptr{Cvoid}
    user::Ptr{Cvoid}
    group::Ptr{Cvoid}
    tolerance::Cdouble
    theta::Cdouble
    order::Cuint
    tree_reserved::Cuint
    rates::Ptr{Cdouble}
    resume::Cint
    rates_reserved::Cint
    function EvolveOptions()
        o = new()
        ccall((:clopt_evolve_options_init, lib), Cvoid, (Ref{EvolveOptions}, Csize_t), o,
              sizeof(EvolveOptions))
        o
    end
end

mutable struct Points
    size::Csize_t
    n::Csize_t
    type::Cint
    reserved::Cint
    stride_bytes::Csize_t
    x::Ptr{Cdouble}
    y::Ptr{Cdouble}
    z::Ptr{Cdouble}
    w::Ptr{Cdouble}
    vx::Ptr{Cdouble}
    vy::Ptr{Cdouble}
    vz::Ptr{Cdouble}
    function Points(p::Matrix{Float64})
        size(p, 1) == 4 || throw(CloptError(EINVAL, "points are 4 x n, not $(size(p))"))
        s = new()
        ccall((:clopt_points_init, lib), Cvoid, (Ref{Points}, Csize_t), s, sizeof(Points))
        s.n = size(p, 2)
        s.stride_bytes = 4 * sizeof(Float64)
        s.x, s.y, s.z, s.w = pointer(p), pointer(p, 2), pointer(p, 3), pointer(p, 4)
        s
    end
end

mutable struct Results
    size::Csize_t
    type::Cint
    reserved::Cint
    stride_bytes::Csize_t
    x::Ptr{Cdouble}
    y::Ptr{Cdouble}
    z::Ptr{Cdouble}
    phi::Ptr{Cdouble}
    normal::Ptr{Cdouble}
    jx::Ptr{Cdouble}
    jy::Ptr{Cdouble}
    jz::Ptr{Cdouble}
    function Results()
        r = new()
        ccall((:clopt_results_init, lib), Cvoid, (Ref{Results}, Csize_t), r, sizeof(Results))
        r
    end
end

"Sums over all bodies, as evolve's callback gets them."
struct Conserved
    mass::Cdouble
    kinetic::Cdouble
    potential::Cdouble
    momentum::NTuple{3,Cdouble}
    angular_momentum::NTuple{3,Cdouble}
    centre::NTuple{3,Cdouble}
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
        check(ccall((:clopt_open, lib), Cint, (Ref{Ptr{Cvoid}}, Ref{Options}), ptr, o))
    end
    finalizer(close, Context(ptr[]))
end

function close(ctx::Context)
    ccall((:clopt_close, lib), Cvoid, (Ptr{Cvoid},), ctx.ptr)
    ctx.ptr = C_NULL
    nothing
end

for (T, gemm) in ((Float32, :clopt_sgemm), (Float64, :clopt_dgemm))
    @eval function matmul(ctx::Context, a::Matrix{$T}, b::Matrix{$T})
        m, k = size(a)
        n = size(b, 2)
        size(b, 1) == k || throw(DimensionMismatch("$(size(a)) by $(size(b))"))
        c = Matrix{$T}(undef, m, n)
        check(ccall(($(QuoteNode(gemm)), lib), Cint,
                    (Ptr{Cvoid}, Cint, Cint, Cint, Csize_t, Csize_t, Csize_t, $T, Ptr{$T}, Csize_t,
                     Ptr{$T}, Csize_t, $T, Ptr{$T}, Csize_t),
                    ctx.ptr, COL_MAJOR, TRANS_NO, TRANS_NO, m, n, k, 1, a, max(m, 1), b, max(k, 1),
                    0, c, max(m, 1)), ctx.ptr)
        c
    end
end
for (T, gemm) in ((ComplexF32, :clopt_cgemm), (ComplexF64, :clopt_zgemm))
    @eval function matmul(ctx::Context, a::Matrix{$T}, b::Matrix{$T})
        m, k = size(a)
        n = size(b, 2)
        size(b, 1) == k || throw(DimensionMismatch("$(size(a)) by $(size(b))"))
        c = Matrix{$T}(undef, m, n)
        check(ccall(($(QuoteNode(gemm)), lib), Cint,
                    (Ptr{Cvoid}, Cint, Cint, Cint, Csize_t, Csize_t, Csize_t, Ref{$T}, Ptr{$T},
                     Csize_t, Ptr{$T}, Csize_t, Ref{$T}, Ptr{$T}, Csize_t),
                    ctx.ptr, COL_MAJOR, TRANS_NO, TRANS_NO, m, n, k, one($T), a, max(m, 1), b,
                    max(k, 1), zero($T), c, max(m, 1)), ctx.ptr)
        c
    end
end

"The transpose; Julia's columns are rows for C."
function transpose(ctx::Context, a::Matrix{T}) where {T}
    isbitstype(T) || throw(CloptError(EINVAL, "elements of $T are no plain bits"))
    m, n = size(a)
    t = Matrix{T}(undef, n, m)
    check(ccall((:clopt_transpose, lib), Cint,
                (Ptr{Cvoid}, Csize_t, Csize_t, Csize_t, Ptr{T}, Csize_t, Ptr{T}, Csize_t),
                ctx.ptr, n, m, sizeof(T), a, max(m, 1), t, max(n, 1)), ctx.ptr)
    t
end

"The Coulomb potential of the sources at the targets."
function potential(ctx::Context, sources::Matrix{Float64}, targets::Matrix{Float64} = sources)
    phi = Vector{Float64}(undef, size(targets, 2))
    GC.@preserve sources targets phi begin
        r = Results()
        r.phi = pointer(phi)
        check(ccall((:clopt_potential_points, lib), Cint,
                    (Ptr{Cvoid}, Ref{Points}, Ref{Points}, Ref{Results}, Ptr{Cvoid}),
                    ctx.ptr, Points(sources), Points(targets), r, C_NULL), ctx.ptr)
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
        check(ccall((:clopt_gravity, lib), Cint,
                    (Ptr{Cvoid}, Ref{Points}, Ref{Points}, Ref{Results}, Ref{NbodyOptions}),
                    ctx.ptr, Points(sources), Points(targets), r, o), ctx.ptr)
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
        ccall((:clopt_nbody_evolve, lib), Cint,
              (Ptr{Cvoid}, Csize_t, Ptr{Cdouble}, Ptr{Cdouble}, Cdouble, Csize_t,
               Ref{EvolveOptions}),
              ctx.ptr, size(bodies, 2), bodies, velocities, dt, steps, o)
    end
    observer.thrown === nothing || throw(observer.thrown)
    check(status, ctx.ptr)
end

end
