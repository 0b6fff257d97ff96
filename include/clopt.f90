! SPDX-License-Identifier: MIT
!
! clopt.f90 - the library for Fortran 2018, on Fortran's arrays.  Compile it before the program.
! clopt_c.f90, which make writes from the headers of C, has to be in the same folder:
!
!     dir=$(pkg-config --variable=includedir clopt)
!     gfortran $dir/clopt.f90 program.f90 $(pkg-config --libs clopt)
!
!     use clopt
!     type(clopt_context) :: ctx
!
!     call ctx%open()                            the best device there is
!     call ctx%matmul(a, b, c)                   c = matmul(a, b)
!     call ctx%close()
!
! Rules
!
! - Arrays are as Fortran has them, column by column, of real(real32), real(real64) and for matrices
!   their complex kinds.  A section whose columns have no gaps, such as a(1:m, :), is used in place;
!   any other is copied.
! - stat and errmsg are as in ALLOCATE: stat becomes CLOPT_OK or a negative status, errmsg the text
!   of a failure.  Without stat a failure stops the program by ERROR STOP with the text.
! - Points are columns: x, y, z and a charge or mass.  Targets may have three rows.
! - Options are derived types with defaults: clopt_nbody_options(softening=0.01_real64).  Their
!   meaning, and that of the constants, is in clopt.h and clopt_pairs.h.
! - Close a context once: a copy is the same context.  In a callback close does nothing.  Several
!   threads may use a context.
! - handle() gives the context to functions of C that have no procedure here.  A module that
!   includes clopt_c.f90 has them all: clopt_NAME is c_NAME.
module clopt
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: real32, real64, int64
  implicit none
  private

  ! Constants, structs and functions of C.  The procedures set sizes, strings, arrays and functions.
  include 'clopt_c.f90'

  ! Procedures of the caller's.  They must not call a procedure on the context, except cancel.
  abstract interface
    ! Sees a step of evolve; halt = .true. ends the run there.
    subroutine clopt_each(step, bodies, velocities, sums, halt)
      import :: int64, real64, clopt_conserved
      integer(int64), intent(in) :: step
      real(real64), intent(in) :: bodies(:, :), velocities(:, :)
      type(clopt_conserved), intent(in) :: sums
      logical, intent(inout) :: halt
    end subroutine
    ! Sees the part of a long call that is done; halt = .true. cancels the call.
    subroutine clopt_progress(done, halt)
      import :: real64
      real(real64), intent(in) :: done
      logical, intent(inout) :: halt
    end subroutine
    ! Gets a line of text.
    subroutine clopt_log(line)
      character(*), intent(in) :: line
    end subroutine
  end interface
  public :: clopt_each, clopt_progress, clopt_log

  type :: callbacks
    procedure(clopt_progress), pointer, nopass :: progress => null()
    procedure(clopt_log), pointer, nopass :: log => null()
    logical :: inside = .false. ! one of the caller's procedures runs
  end type

  type :: observer
    procedure(clopt_each), pointer, nopass :: each => null()
    type(callbacks), pointer :: callbacks => null()
    integer(c_size_t) :: n = 0
  end type

  type, public :: clopt_context
    private
    type(c_ptr) :: ptr = c_null_ptr
    type(callbacks), pointer :: callbacks => null()
  contains
    procedure :: open => open_context
    procedure :: close => close_context
    procedure :: cancel, handle, report, variant
    ! c = op(a) op(b), or with alpha and beta as in BLAS; transa and transb are 'N', 'T' or 'C'.
    generic :: matmul => gemm_s, gemm_d, gemm_c, gemm_z
    generic :: gemm => gemm_s, gemm_d, gemm_c, gemm_z
    generic :: transpose => transpose_s, transpose_d, transpose_c, transpose_z
    ! phi(m), or the field and the potential as result(4, m).
    generic :: potential => potential_s, potential_d, field_s, field_d
    ! Accelerations as acc(3, m), or with the potential as acc(4, m).
    generic :: nbody => nbody_s, nbody_d
    ! Bodies and velocities, both (4, n), some steps later.
    procedure :: evolve, conserved, leapfrog
    ! Fails if a result is wrong here.
    procedure :: selfcheck
    procedure, private :: gemm_s, gemm_d, gemm_c, gemm_z, transpose_s, transpose_d, transpose_c, &
      transpose_z, potential_s, potential_d, field_s, field_d, nbody_s, nbody_d
  end type

  public :: clopt_version, clopt_strerror

  ! A matrix as C sees it.
  type :: view
    type(c_ptr) :: data = c_null_ptr
    integer(c_size_t) :: rows = 0, cols = 0, ld = 1
    logical :: direct = .true. ! its columns have no gaps
  end type
  interface view_of
    procedure :: view_s, view_d, view_c, view_z
  end interface

  type :: gemm_shape
    integer(c_int) :: status = CLOPT_OK, transa = CLOPT_TRANS_NO, transb = CLOPT_TRANS_NO
    integer(c_size_t) :: m = 0, n = 0, k = 0
    character(200) :: text = ''
  end type

  interface
    integer(c_size_t) function c_strlen(text) bind(c, name='strlen')
      import :: c_size_t, c_ptr
      type(c_ptr), value :: text
    end function
  end interface

contains

  ! ---- Context ----------------------------------------------------------------

  ! device: as CLOPT_DEVICE, 'pocl' or 'gpu' say.  log gets lines of text, progress the part done.
  subroutine open_context(self, device, options, variants, cache_dir, log, progress, stat, errmsg)
    class(clopt_context), intent(inout) :: self
    character(*), intent(in), optional :: device, variants, cache_dir
    type(clopt_options), intent(in), optional :: options
    procedure(clopt_log), optional :: log
    procedure(clopt_progress), optional :: progress
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:, c_char), allocatable, target :: device_c, variants_c, cache_c
    type(clopt_options) :: o
    integer(c_int) :: status

    call self%close()
    if (present(options)) o = options
    o%size = c_sizeof(o)
    if (present(device)) then
      device_c = trim(device)//c_null_char
      o%device = c_loc(device_c)
    end if
    if (present(variants)) then
      variants_c = trim(variants)//c_null_char
      o%variants = c_loc(variants_c)
    end if
    if (present(cache_dir)) then
      cache_c = trim(cache_dir)//c_null_char
      o%cache_dir = c_loc(cache_c)
    end if
    allocate (self%callbacks)
    if (present(log)) then
      self%callbacks%log => log
      o%log = c_funloc(log_from_c)
      o%log_user = c_loc(self%callbacks)
    end if
    if (present(progress)) then
      self%callbacks%progress => progress
      o%progress = c_funloc(progress_from_c)
      o%progress_user = c_loc(self%callbacks)
    end if
    status = c_open(self%ptr, o)
    if (status /= CLOPT_OK) deallocate (self%callbacks)
    call conclude(self, status, '', stat, errmsg)
  end subroutine

  subroutine close_context(self)
    class(clopt_context), intent(inout) :: self

    if (associated(self%callbacks)) then
      if (self%callbacks%inside) return ! where C does not close either
    end if
    call c_close(self%ptr)
    self%ptr = c_null_ptr
    if (associated(self%callbacks)) deallocate (self%callbacks)
  end subroutine

  ! Ends the call that runs, from any thread or callback.
  subroutine cancel(self)
    class(clopt_context), intent(in) :: self

    if (c_associated(self%ptr)) call c_cancel(self%ptr)
  end subroutine

  type(c_ptr) function handle(self)
    class(clopt_context), intent(in) :: self

    handle = self%ptr
  end function

  ! How the last call went.
  subroutine report(self, how, stat, errmsg)
    class(clopt_context), intent(in) :: self
    type(clopt_report), intent(out) :: how
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    how%size = c_sizeof(how)
    call conclude(self, c_last_report(self%ptr, how), '', stat, errmsg)
  end subroutine

  subroutine selfcheck(self, stat, errmsg)
    class(clopt_context), intent(in) :: self
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    call conclude(self, c_selfcheck(self%ptr), '', stat, errmsg)
  end subroutine

  ! The kernel variant of the last call; '' if none had to run.
  function variant(self) result(name)
    class(clopt_context), intent(in) :: self
    character(:), allocatable :: name
    type(clopt_report) :: how

    call self%report(how)
    name = text_of(how%variant)
  end function

  function clopt_version() result(text)
    character(:), allocatable :: text

    text = text_of(c_version())
  end function

  ! A status in a few words.
  function clopt_strerror(status) result(text)
    integer, intent(in) :: status
    character(:), allocatable :: text

    text = text_of(c_strerror(int(status, c_int)))
  end function

  ! The end of each call: `text` if the failure is of this module, else the library's.
  subroutine conclude(self, status, text, stat, errmsg)
    class(clopt_context), intent(in) :: self
    integer(c_int), intent(in) :: status
    character(*), intent(in) :: text
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    character(:), allocatable :: message

    if (present(stat)) stat = status
    if (status == CLOPT_OK) return
    message = trim(text)
    if (len(message) == 0) message = text_of(c_error(self%ptr))
    if (len(message) == 0) message = text_of(c_strerror(status))
    if (present(errmsg)) errmsg = message
    if (.not. present(stat)) error stop message
  end subroutine

  function text_of(from) result(text)
    type(c_ptr), intent(in) :: from
    character(:), allocatable :: text
    character(c_char), pointer :: chars(:)
    integer :: i

    if (.not. c_associated(from)) then
      text = ''
      return
    end if
    call c_f_pointer(from, chars, [c_strlen(from)])
    allocate (character(size(chars)) :: text)
    do i = 1, size(chars)
      text(i:i) = chars(i)
    end do
  end function

  subroutine log_from_c(user, line) bind(c, name='')
    type(c_ptr), value :: user, line
    type(callbacks), pointer :: c

    call c_f_pointer(user, c)
    c%inside = .true.
    call c%log(text_of(line))
    c%inside = .false.
  end subroutine

  function progress_from_c(user, done) bind(c, name='') result(status)
    type(c_ptr), value :: user
    real(c_double), value :: done
    integer(c_int) :: status
    type(callbacks), pointer :: c
    logical :: halt

    call c_f_pointer(user, c)
    halt = .false.
    c%inside = .true.
    call c%progress(done, halt)
    c%inside = .false.
    status = merge(1_c_int, 0_c_int, halt)
  end function

  function each_from_c(user, step, bodies, velocities, sums) bind(c, name='') result(status)
    type(c_ptr), value :: user, bodies, velocities
    integer(c_size_t), value :: step
    type(clopt_conserved), intent(in) :: sums
    integer(c_int) :: status
    type(observer), pointer :: o
    real(c_double), pointer :: b(:, :), v(:, :)
    logical :: halt

    call c_f_pointer(user, o)
    call c_f_pointer(bodies, b, [4_c_size_t, o%n])
    call c_f_pointer(velocities, v, [4_c_size_t, o%n])
    halt = .false.
    o%callbacks%inside = .true.
    call o%each(int(step, int64), b, v, sums, halt)
    o%callbacks%inside = .false.
    status = merge(1_c_int, 0_c_int, halt)
  end function

  ! ---- Matrices ---------------------------------------------------------------

  ! How a section lies, from the addresses of its first element and of those below and beside it.
  subroutine measure(v, bytes, first, below, beside)
    type(view), intent(inout) :: v
    integer(c_intptr_t), intent(in) :: bytes
    type(c_ptr), intent(in) :: first, below, beside
    integer(c_intptr_t) :: row, column

    row = address(below) - address(first)
    column = address(beside) - address(first)
    v%data = first
    v%direct = (v%rows == 1 .or. row == bytes) .and. &
      (v%cols == 1 .or. (column >= v%rows*bytes .and. mod(column, bytes) == 0))
    v%ld = merge(column/bytes, v%rows, v%cols > 1)
  end subroutine

  integer(c_intptr_t) function address(p)
    type(c_ptr), intent(in) :: p

    address = transfer(p, 0_c_intptr_t)
  end function

  type(c_ptr) function behind(p, bytes)
    type(c_ptr), intent(in) :: p
    integer(c_size_t), intent(in) :: bytes

    behind = transfer(address(p) + bytes, c_null_ptr)
  end function

  function sizes(rows, cols) result(text)
    integer(c_size_t), intent(in) :: rows, cols
    character(:), allocatable :: text
    character(60) :: buffer

    write (buffer, '(i0, " x ", i0)') rows, cols
    text = trim(buffer)
  end function

  ! op: 0 if it is no letter of BLAS.
  integer(c_int) function trans_of(op)
    character, intent(in), optional :: op

    trans_of = CLOPT_TRANS_NO
    if (.not. present(op)) return
    select case (op)
    case ('N', 'n')
    case ('T', 't')
      trans_of = CLOPT_TRANS_YES
    case ('C', 'c')
      trans_of = CLOPT_TRANS_CONJ
    case default
      trans_of = 0
    end select
  end function

  function shape_of(a, b, c, transa, transb) result(g)
    type(view), intent(in) :: a, b, c
    character, intent(in), optional :: transa, transb
    type(gemm_shape) :: g
    integer(c_size_t) :: k

    g%transa = trans_of(transa)
    g%transb = trans_of(transb)
    g%m = merge(a%rows, a%cols, g%transa == CLOPT_TRANS_NO)
    g%k = merge(a%cols, a%rows, g%transa == CLOPT_TRANS_NO)
    k = merge(b%rows, b%cols, g%transb == CLOPT_TRANS_NO)
    g%n = merge(b%cols, b%rows, g%transb == CLOPT_TRANS_NO)
    if (g%transa == 0 .or. g%transb == 0) then
      g%status = CLOPT_EINVAL
      g%text = 'gemm: transa and transb are N, T or C'
    else if (g%k /= k .or. g%m /= c%rows .or. g%n /= c%cols) then
      g%status = CLOPT_EINVAL
      g%text = 'gemm: op(A) is '//sizes(g%m, g%k)//', op(B) is '//sizes(k, g%n)//', C is '// &
        sizes(c%rows, c%cols)
    end if
  end function

  ! Columns here are rows for C.
  subroutine transpose_views(self, bytes, from, to, stat, errmsg)
    class(clopt_context), intent(in) :: self
    integer(c_size_t), intent(in) :: bytes
    type(view), intent(in) :: from, to
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg

    if (from%rows /= to%cols .or. from%cols /= to%rows) then
      call conclude(self, CLOPT_EINVAL, 'transpose: of '//sizes(from%rows, from%cols)// &
        ', which is not '//sizes(to%rows, to%cols), stat, errmsg)
    else
      call conclude(self, c_transpose(self%ptr, from%cols, from%rows, bytes, from%data, from%ld, &
        to%data, to%ld), '', stat, errmsg)
    end if
  end subroutine

  subroutine gemm_s(self, a, b, c, transa, transb, alpha, beta, stat, errmsg)
    class(clopt_context), intent(in) :: self
    real(real32), intent(in), target :: a(:, :), b(:, :)
    real(real32), intent(inout), target :: c(:, :)
    character, intent(in), optional :: transa, transb
    real(real32), intent(in), optional :: alpha, beta
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(real32), allocatable, target :: packed_a(:, :), packed_b(:, :), packed_c(:, :)
    real(real32) :: x, y
    type(gemm_shape) :: g
    type(view) :: va, vb, vc
    logical :: direct

    va = view_of(a)
    if (.not. va%direct) then
      packed_a = a
      va = view_of(packed_a)
    end if
    vb = view_of(b)
    if (.not. vb%direct) then
      packed_b = b
      vb = view_of(packed_b)
    end if
    vc = view_of(c)
    direct = vc%direct
    if (.not. direct) then
      packed_c = c
      vc = view_of(packed_c)
    end if
    x = 1
    if (present(alpha)) x = alpha
    y = 0
    if (present(beta)) y = beta
    g = shape_of(va, vb, vc, transa, transb)
    if (g%status == CLOPT_OK) g%status = c_sgemm(self%ptr, CLOPT_LAYOUT_COL_MAJOR, g%transa, &
      g%transb, g%m, g%n, g%k, x, va%data, va%ld, vb%data, vb%ld, y, vc%data, vc%ld)
    if (.not. direct) c = packed_c
    call conclude(self, g%status, g%text, stat, errmsg)
  end subroutine

  subroutine gemm_d(self, a, b, c, transa, transb, alpha, beta, stat, errmsg)
    class(clopt_context), intent(in) :: self
    real(real64), intent(in), target :: a(:, :), b(:, :)
    real(real64), intent(inout), target :: c(:, :)
    character, intent(in), optional :: transa, transb
    real(real64), intent(in), optional :: alpha, beta
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(real64), allocatable, target :: packed_a(:, :), packed_b(:, :), packed_c(:, :)
    real(real64) :: x, y
    type(gemm_shape) :: g
    type(view) :: va, vb, vc
    logical :: direct

    va = view_of(a)
    if (.not. va%direct) then
      packed_a = a
      va = view_of(packed_a)
    end if
    vb = view_of(b)
    if (.not. vb%direct) then
      packed_b = b
      vb = view_of(packed_b)
    end if
    vc = view_of(c)
    direct = vc%direct
    if (.not. direct) then
      packed_c = c
      vc = view_of(packed_c)
    end if
    x = 1
    if (present(alpha)) x = alpha
    y = 0
    if (present(beta)) y = beta
    g = shape_of(va, vb, vc, transa, transb)
    if (g%status == CLOPT_OK) g%status = c_dgemm(self%ptr, CLOPT_LAYOUT_COL_MAJOR, g%transa, &
      g%transb, g%m, g%n, g%k, x, va%data, va%ld, vb%data, vb%ld, y, vc%data, vc%ld)
    if (.not. direct) c = packed_c
    call conclude(self, g%status, g%text, stat, errmsg)
  end subroutine

  subroutine gemm_c(self, a, b, c, transa, transb, alpha, beta, stat, errmsg)
    class(clopt_context), intent(in) :: self
    complex(real32), intent(in), target :: a(:, :), b(:, :)
    complex(real32), intent(inout), target :: c(:, :)
    character, intent(in), optional :: transa, transb
    complex(real32), intent(in), optional :: alpha, beta
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    complex(real32), allocatable, target :: packed_a(:, :), packed_b(:, :), packed_c(:, :)
    complex(real32), target :: x, y
    type(gemm_shape) :: g
    type(view) :: va, vb, vc
    logical :: direct

    va = view_of(a)
    if (.not. va%direct) then
      packed_a = a
      va = view_of(packed_a)
    end if
    vb = view_of(b)
    if (.not. vb%direct) then
      packed_b = b
      vb = view_of(packed_b)
    end if
    vc = view_of(c)
    direct = vc%direct
    if (.not. direct) then
      packed_c = c
      vc = view_of(packed_c)
    end if
    x = 1
    if (present(alpha)) x = alpha
    y = 0
    if (present(beta)) y = beta
    g = shape_of(va, vb, vc, transa, transb)
    if (g%status == CLOPT_OK) g%status = c_cgemm(self%ptr, CLOPT_LAYOUT_COL_MAJOR, g%transa, &
      g%transb, g%m, g%n, g%k, c_loc(x), va%data, va%ld, vb%data, vb%ld, c_loc(y), vc%data, vc%ld)
    if (.not. direct) c = packed_c
    call conclude(self, g%status, g%text, stat, errmsg)
  end subroutine

  subroutine gemm_z(self, a, b, c, transa, transb, alpha, beta, stat, errmsg)
    class(clopt_context), intent(in) :: self
    complex(real64), intent(in), target :: a(:, :), b(:, :)
    complex(real64), intent(inout), target :: c(:, :)
    character, intent(in), optional :: transa, transb
    complex(real64), intent(in), optional :: alpha, beta
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    complex(real64), allocatable, target :: packed_a(:, :), packed_b(:, :), packed_c(:, :)
    complex(real64), target :: x, y
    type(gemm_shape) :: g
    type(view) :: va, vb, vc
    logical :: direct

    va = view_of(a)
    if (.not. va%direct) then
      packed_a = a
      va = view_of(packed_a)
    end if
    vb = view_of(b)
    if (.not. vb%direct) then
      packed_b = b
      vb = view_of(packed_b)
    end if
    vc = view_of(c)
    direct = vc%direct
    if (.not. direct) then
      packed_c = c
      vc = view_of(packed_c)
    end if
    x = 1
    if (present(alpha)) x = alpha
    y = 0
    if (present(beta)) y = beta
    g = shape_of(va, vb, vc, transa, transb)
    if (g%status == CLOPT_OK) g%status = c_zgemm(self%ptr, CLOPT_LAYOUT_COL_MAJOR, g%transa, &
      g%transb, g%m, g%n, g%k, c_loc(x), va%data, va%ld, vb%data, vb%ld, c_loc(y), vc%data, vc%ld)
    if (.not. direct) c = packed_c
    call conclude(self, g%status, g%text, stat, errmsg)
  end subroutine

  subroutine transpose_s(self, from, to, stat, errmsg)
    class(clopt_context), intent(in) :: self
    real(real32), intent(in), target :: from(:, :)
    real(real32), intent(inout), target :: to(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(real32), allocatable, target :: packed_from(:, :), packed_to(:, :)
    type(view) :: vf, vt
    logical :: direct

    vf = view_of(from)
    if (.not. vf%direct) then
      packed_from = from
      vf = view_of(packed_from)
    end if
    vt = view_of(to)
    direct = vt%direct
    if (.not. direct) then
      packed_to = to
      vt = view_of(packed_to)
    end if
    call transpose_views(self, 4_c_size_t, vf, vt, stat, errmsg)
    if (.not. direct) to = packed_to
  end subroutine

  subroutine transpose_d(self, from, to, stat, errmsg)
    class(clopt_context), intent(in) :: self
    real(real64), intent(in), target :: from(:, :)
    real(real64), intent(inout), target :: to(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    real(real64), allocatable, target :: packed_from(:, :), packed_to(:, :)
    type(view) :: vf, vt
    logical :: direct

    vf = view_of(from)
    if (.not. vf%direct) then
      packed_from = from
      vf = view_of(packed_from)
    end if
    vt = view_of(to)
    direct = vt%direct
    if (.not. direct) then
      packed_to = to
      vt = view_of(packed_to)
    end if
    call transpose_views(self, 8_c_size_t, vf, vt, stat, errmsg)
    if (.not. direct) to = packed_to
  end subroutine

  subroutine transpose_c(self, from, to, stat, errmsg)
    class(clopt_context), intent(in) :: self
    complex(real32), intent(in), target :: from(:, :)
    complex(real32), intent(inout), target :: to(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    complex(real32), allocatable, target :: packed_from(:, :), packed_to(:, :)
    type(view) :: vf, vt
    logical :: direct

    vf = view_of(from)
    if (.not. vf%direct) then
      packed_from = from
      vf = view_of(packed_from)
    end if
    vt = view_of(to)
    direct = vt%direct
    if (.not. direct) then
      packed_to = to
      vt = view_of(packed_to)
    end if
    call transpose_views(self, 8_c_size_t, vf, vt, stat, errmsg)
    if (.not. direct) to = packed_to
  end subroutine

  subroutine transpose_z(self, from, to, stat, errmsg)
    class(clopt_context), intent(in) :: self
    complex(real64), intent(in), target :: from(:, :)
    complex(real64), intent(inout), target :: to(:, :)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    complex(real64), allocatable, target :: packed_from(:, :), packed_to(:, :)
    type(view) :: vf, vt
    logical :: direct

    vf = view_of(from)
    if (.not. vf%direct) then
      packed_from = from
      vf = view_of(packed_from)
    end if
    vt = view_of(to)
    direct = vt%direct
    if (.not. direct) then
      packed_to = to
      vt = view_of(packed_to)
    end if
    call transpose_views(self, 16_c_size_t, vf, vt, stat, errmsg)
    if (.not. direct) to = packed_to
  end subroutine

  function view_s(a) result(v)
    real(real32), intent(in), target :: a(:, :)
    type(view) :: v

    v = view(rows=size(a, 1, c_size_t), cols=size(a, 2, c_size_t), ld=max(1_c_size_t, size(a, 1, c_size_t)))
    if (v%rows > 0 .and. v%cols > 0) call measure(v, 4_c_intptr_t, c_loc(a(1, 1)), &
      c_loc(a(min(2_c_size_t, v%rows), 1)), c_loc(a(1, min(2_c_size_t, v%cols))))
  end function

  function view_d(a) result(v)
    real(real64), intent(in), target :: a(:, :)
    type(view) :: v

    v = view(rows=size(a, 1, c_size_t), cols=size(a, 2, c_size_t), ld=max(1_c_size_t, size(a, 1, c_size_t)))
    if (v%rows > 0 .and. v%cols > 0) call measure(v, 8_c_intptr_t, c_loc(a(1, 1)), &
      c_loc(a(min(2_c_size_t, v%rows), 1)), c_loc(a(1, min(2_c_size_t, v%cols))))
  end function

  function view_c(a) result(v)
    complex(real32), intent(in), target :: a(:, :)
    type(view) :: v

    v = view(rows=size(a, 1, c_size_t), cols=size(a, 2, c_size_t), ld=max(1_c_size_t, size(a, 1, c_size_t)))
    if (v%rows > 0 .and. v%cols > 0) call measure(v, 8_c_intptr_t, c_loc(a(1, 1)), &
      c_loc(a(min(2_c_size_t, v%rows), 1)), c_loc(a(1, min(2_c_size_t, v%cols))))
  end function

  function view_z(a) result(v)
    complex(real64), intent(in), target :: a(:, :)
    type(view) :: v

    v = view(rows=size(a, 1, c_size_t), cols=size(a, 2, c_size_t), ld=max(1_c_size_t, size(a, 1, c_size_t)))
    if (v%rows > 0 .and. v%cols > 0) call measure(v, 16_c_intptr_t, c_loc(a(1, 1)), &
      c_loc(a(min(2_c_size_t, v%rows), 1)), c_loc(a(1, min(2_c_size_t, v%cols))))
  end function

  subroutine potential_s(self, sources, targets, phi, options, normals, depths, stat, errmsg)
    class(clopt_context), intent(in) :: self
    real(real32), intent(in), contiguous, target :: sources(:, :), targets(:, :)
    real(real32), intent(inout), contiguous, target :: phi(:)
    type(clopt_potential_options), intent(in), optional :: options
    real(real32), intent(in), contiguous, target, optional :: normals(:, :), depths(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(clopt_results) :: r

    r = results_of(CLOPT_TYPE_FLOAT, c_null_ptr, c_loc(phi), 4_c_size_t)
    call potential_points(self, points_of(CLOPT_TYPE_FLOAT, shape(sources), c_loc(sources)), &
      points_of(CLOPT_TYPE_FLOAT, shape(targets), c_loc(targets)), r, [1, size(phi)], options, &
      normals, depths, stat, errmsg)
  end subroutine

  subroutine field_s(self, sources, targets, result, options, normals, depths, stat, errmsg)
    class(clopt_context), intent(in) :: self
    real(real32), intent(in), contiguous, target :: sources(:, :), targets(:, :)
    real(real32), intent(inout), contiguous, target :: result(:, :)
    type(clopt_potential_options), intent(in), optional :: options
    real(real32), intent(in), contiguous, target, optional :: normals(:, :), depths(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(clopt_results) :: r

    r = results_of(CLOPT_TYPE_FLOAT, c_loc(result), behind(c_loc(result), 3*4_c_size_t), &
      size(result, 1)*4_c_size_t)
    call potential_points(self, points_of(CLOPT_TYPE_FLOAT, shape(sources), c_loc(sources)), &
      points_of(CLOPT_TYPE_FLOAT, shape(targets), c_loc(targets)), r, shape(result), options, &
      normals, depths, stat, errmsg)
  end subroutine

  subroutine nbody_s(self, sources, targets, acc, options, stat, errmsg)
    class(clopt_context), intent(in) :: self
    real(real32), intent(in), contiguous, target :: sources(:, :), targets(:, :)
    real(real32), intent(inout), contiguous, target :: acc(:, :)
    type(clopt_nbody_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(clopt_results) :: r

    r = results_of(CLOPT_TYPE_FLOAT, c_loc(acc), c_null_ptr, size(acc, 1)*4_c_size_t)
    if (size(acc, 1) > 3) r%phi = behind(c_loc(acc), 3*4_c_size_t)
    call gravity_points(self, points_of(CLOPT_TYPE_FLOAT, shape(sources), c_loc(sources)), &
      points_of(CLOPT_TYPE_FLOAT, shape(targets), c_loc(targets)), r, shape(acc), options, stat, &
      errmsg)
  end subroutine

  subroutine potential_d(self, sources, targets, phi, options, normals, depths, stat, errmsg)
    class(clopt_context), intent(in) :: self
    real(real64), intent(in), contiguous, target :: sources(:, :), targets(:, :)
    real(real64), intent(inout), contiguous, target :: phi(:)
    type(clopt_potential_options), intent(in), optional :: options
    real(real32), intent(in), contiguous, target, optional :: normals(:, :), depths(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(clopt_results) :: r

    r = results_of(CLOPT_TYPE_DOUBLE, c_null_ptr, c_loc(phi), 8_c_size_t)
    call potential_points(self, points_of(CLOPT_TYPE_DOUBLE, shape(sources), c_loc(sources)), &
      points_of(CLOPT_TYPE_DOUBLE, shape(targets), c_loc(targets)), r, [1, size(phi)], options, &
      normals, depths, stat, errmsg)
  end subroutine

  subroutine field_d(self, sources, targets, result, options, normals, depths, stat, errmsg)
    class(clopt_context), intent(in) :: self
    real(real64), intent(in), contiguous, target :: sources(:, :), targets(:, :)
    real(real64), intent(inout), contiguous, target :: result(:, :)
    type(clopt_potential_options), intent(in), optional :: options
    real(real32), intent(in), contiguous, target, optional :: normals(:, :), depths(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(clopt_results) :: r

    r = results_of(CLOPT_TYPE_DOUBLE, c_loc(result), behind(c_loc(result), 3*8_c_size_t), &
      size(result, 1)*8_c_size_t)
    call potential_points(self, points_of(CLOPT_TYPE_DOUBLE, shape(sources), c_loc(sources)), &
      points_of(CLOPT_TYPE_DOUBLE, shape(targets), c_loc(targets)), r, shape(result), options, &
      normals, depths, stat, errmsg)
  end subroutine

  subroutine nbody_d(self, sources, targets, acc, options, stat, errmsg)
    class(clopt_context), intent(in) :: self
    real(real64), intent(in), contiguous, target :: sources(:, :), targets(:, :)
    real(real64), intent(inout), contiguous, target :: acc(:, :)
    type(clopt_nbody_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(clopt_results) :: r

    r = results_of(CLOPT_TYPE_DOUBLE, c_loc(acc), c_null_ptr, size(acc, 1)*8_c_size_t)
    if (size(acc, 1) > 3) r%phi = behind(c_loc(acc), 3*8_c_size_t)
    call gravity_points(self, points_of(CLOPT_TYPE_DOUBLE, shape(sources), c_loc(sources)), &
      points_of(CLOPT_TYPE_DOUBLE, shape(targets), c_loc(targets)), r, shape(acc), options, stat, &
      errmsg)
  end subroutine

  ! ---- Pairs ------------------------------------------------------------------

  ! Points side by side; the type's number is that of its bytes.
  function points_of(type, extent, first) result(p)
    integer(c_int), intent(in) :: type
    integer, intent(in) :: extent(2)
    type(c_ptr), intent(in) :: first
    type(clopt_points) :: p
    integer(c_size_t) :: bytes

    bytes = type
    p%size = c_sizeof(p)
    p%n = extent(2)
    p%type = type
    p%stride_bytes = extent(1)*bytes
    if (extent(1) < 3 .or. extent(2) == 0) return
    p%x = first
    p%y = behind(first, bytes)
    p%z = behind(first, 2*bytes)
    if (extent(1) > 3) p%w = behind(first, 3*bytes)
  end function

  function results_of(type, first, phi, stride_bytes) result(r)
    integer(c_int), intent(in) :: type
    type(c_ptr), intent(in) :: first, phi
    integer(c_size_t), intent(in) :: stride_bytes
    type(clopt_results) :: r

    r%size = c_sizeof(r)
    r%type = type
    r%stride_bytes = stride_bytes
    r%phi = phi
    if (.not. c_associated(first)) return
    r%x = first
    r%y = behind(first, int(type, c_size_t))
    r%z = behind(first, 2*int(type, c_size_t))
  end function

  ! What is wrong with the sizes, or ''.  Rows of the result are at least `rows`.
  function misfit(sources, targets, got, rows) result(text)
    type(clopt_points), intent(in) :: sources, targets
    integer, intent(in) :: got(2), rows
    character(:), allocatable :: text
    character(200) :: buffer

    text = ''
    if (sources%stride_bytes < 4*sources%type) then
      write (buffer, '("sources have ", i0, " rows and need 4: x, y, z and a weight")') &
        sources%stride_bytes/sources%type
      text = trim(buffer)
    else if (targets%stride_bytes < 3*targets%type) then
      write (buffer, '("targets have ", i0, " rows and need 3: x, y and z")') &
        targets%stride_bytes/targets%type
      text = trim(buffer)
    else if (got(1) < rows .or. got(2) < targets%n) then
      write (buffer, '("the result is ", i0, " x ", i0, " and needs ", i0, " x ", i0)') got, rows, &
        targets%n
      text = trim(buffer)
    end if
  end function

  subroutine potential_points(self, sources, targets, results, got, options, normals, depths, &
      stat, errmsg)
    class(clopt_context), intent(in) :: self
    type(clopt_points), intent(in) :: sources, targets
    type(clopt_results), intent(in) :: results
    integer, intent(in) :: got(2)
    type(clopt_potential_options), intent(in), optional :: options
    real(real32), intent(in), contiguous, target, optional :: normals(:, :), depths(:)
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(clopt_potential_options) :: o
    character(:), allocatable :: text

    if (present(options)) o = options
    o%size = c_sizeof(o)
    text = misfit(sources, targets, got, merge(1, 4, .not. c_associated(results%x)))
    if (present(normals)) then
      if (size(normals, 1) /= 4 .or. size(normals, 2) /= targets%n) text = &
        'normals are not 4 x the number of targets'
      o%normals = c_loc(normals)
    end if
    if (present(depths)) then
      if (size(depths) /= sources%n) text = 'depths are not as many as sources'
      o%depths = c_loc(depths)
    end if
    if (len(text) > 0) then
      call conclude(self, CLOPT_EINVAL, 'potential: '//text, stat, errmsg)
    else
      call conclude(self, c_potential_points(self%ptr, sources, targets, results, o), '', stat, errmsg)
    end if
  end subroutine

  subroutine gravity_points(self, sources, targets, results, got, options, stat, errmsg)
    class(clopt_context), intent(in) :: self
    type(clopt_points), intent(in) :: sources, targets
    type(clopt_results), intent(in) :: results
    integer, intent(in) :: got(2)
    type(clopt_nbody_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(clopt_nbody_options) :: o
    character(:), allocatable :: text

    if (present(options)) o = options
    o%size = c_sizeof(o)
    text = misfit(sources, targets, got, 3)
    if (len(text) > 0) then
      call conclude(self, CLOPT_EINVAL, 'nbody: '//text, stat, errmsg)
    else
      call conclude(self, c_gravity(self%ptr, sources, targets, results, o), '', stat, errmsg)
    end if
  end subroutine

  ! ---- Bodies that move -------------------------------------------------------

  ! What is wrong with the arrays of bodies, or ''.
  function unlike(bodies, velocities) result(text)
    integer, intent(in) :: bodies(2), velocities(2)
    character(:), allocatable :: text

    text = ''
    if (bodies(1) /= 4 .or. any(bodies /= velocities)) text = 'bodies are '// &
      sizes(int(bodies(1), c_size_t), int(bodies(2), c_size_t))//', velocities are '// &
      sizes(int(velocities(1), c_size_t), int(velocities(2), c_size_t))//': both have to be 4 x n'
  end function

  subroutine evolve(self, bodies, velocities, dt, steps, options, each, stat, errmsg)
    class(clopt_context), intent(in) :: self
    real(real64), intent(inout), contiguous, target :: bodies(:, :), velocities(:, :)
    real(real64), intent(in) :: dt
    integer, intent(in) :: steps
    type(clopt_evolve_options), intent(in), optional :: options
    procedure(clopt_each), optional :: each
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(clopt_evolve_options) :: o
    type(observer), target :: watching
    character(:), allocatable :: text

    if (present(options)) o = options
    o%size = c_sizeof(o)
    if (present(each)) then
      watching%each => each
      watching%callbacks => self%callbacks
      watching%n = size(bodies, 2)
      o%each = c_funloc(each_from_c)
      o%user = c_loc(watching)
    end if
    text = unlike(shape(bodies), shape(velocities))
    if (steps < 0) text = 'a negative number of steps'
    if (len(text) > 0) then
      call conclude(self, CLOPT_EINVAL, 'evolve: '//text, stat, errmsg)
    else
      call conclude(self, c_nbody_evolve(self%ptr, size(bodies, 2, c_size_t), c_loc(bodies), &
        c_loc(velocities), dt, int(steps, c_size_t), o), '', stat, errmsg)
    end if
  end subroutine

  ! Energies, momenta and the centre of mass.
  subroutine conserved(self, bodies, velocities, sums, options, stat, errmsg)
    class(clopt_context), intent(in) :: self
    real(real64), intent(in), contiguous, target :: bodies(:, :), velocities(:, :)
    type(clopt_conserved), intent(out) :: sums
    type(clopt_evolve_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(clopt_evolve_options) :: o
    character(:), allocatable :: text

    if (present(options)) o = options
    o%size = c_sizeof(o)
    text = unlike(shape(bodies), shape(velocities))
    if (len(text) > 0) then
      call conclude(self, CLOPT_EINVAL, 'conserved: '//text, stat, errmsg)
    else
      call conclude(self, c_nbody_conserved(self%ptr, size(bodies, 2, c_size_t), c_loc(bodies), &
        c_loc(velocities), o, sums), '', stat, errmsg)
    end if
  end subroutine

  ! Leapfrog in real32.
  subroutine leapfrog(self, bodies, velocities, dt, steps, options, stat, errmsg)
    class(clopt_context), intent(in) :: self
    real(real32), intent(inout), contiguous, target :: bodies(:, :), velocities(:, :)
    real(real64), intent(in) :: dt
    integer, intent(in) :: steps
    type(clopt_nbody_options), intent(in), optional :: options
    integer, intent(out), optional :: stat
    character(*), intent(inout), optional :: errmsg
    type(clopt_nbody_options) :: o
    character(:), allocatable :: text

    if (present(options)) o = options
    o%size = c_sizeof(o)
    text = unlike(shape(bodies), shape(velocities))
    if (steps < 0) text = 'a negative number of steps'
    if (len(text) > 0) then
      call conclude(self, CLOPT_EINVAL, 'leapfrog: '//text, stat, errmsg)
    else
      call conclude(self, c_nbody_leapfrog(self%ptr, size(bodies, 2, c_size_t), c_loc(bodies), &
        c_loc(velocities), dt, int(steps, c_size_t), o), '', stat, errmsg)
    end if
  end subroutine

end module
