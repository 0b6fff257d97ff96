! SPDX-License-Identifier: MIT
!
! check.f90 - clopt.f90: products and transposes of all kinds and sections against MATMUL and
! TRANSPOSE, points and bodies, stat and errmsg, callbacks.  With an argument: a failure without stat.
module check_callbacks
  use, intrinsic :: iso_fortran_env, only: real64, int64
  use clopt
  implicit none
  integer :: lines = 0, asked = 0
  integer(int64) :: last = -1
  type(clopt_context) :: closing

contains

  subroutine count_lines(line)
    character(*), intent(in) :: line

    if (index(line, 'transpose') > 0) lines = lines + 1
  end subroutine

  subroutine close_in_line(line)
    character(*), intent(in) :: line

    if (line /= '') call closing%close()
  end subroutine

  subroutine close_in_step(step, bodies, velocities, sums, halt)
    integer(int64), intent(in) :: step
    real(real64), intent(in) :: bodies(:, :), velocities(:, :)
    type(clopt_conserved), intent(in) :: sums
    logical, intent(inout) :: halt

    halt = step > 1 .or. any(shape(bodies) /= shape(velocities)) .or. sums%mass < 0
    call closing%close()
  end subroutine

  subroutine ask_twice(done, halt)
    real(real64), intent(in) :: done
    logical, intent(inout) :: halt

    asked = asked + 1
    halt = asked == 2 .or. done < 0
  end subroutine

  subroutine until_six(step, bodies, velocities, sums, halt)
    integer(int64), intent(in) :: step
    real(real64), intent(in) :: bodies(:, :), velocities(:, :)
    type(clopt_conserved), intent(in) :: sums
    logical, intent(inout) :: halt

    last = step
    halt = step >= 6 .or. any(shape(bodies) /= shape(velocities)) .or. abs(sums%mass - 3) > 1e-9
  end subroutine

end module

program check
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_loc
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use clopt
  use check_callbacks
  implicit none

  type(clopt_context) :: ctx
  integer :: failed = 0

  call ctx%open()
  if (command_argument_count() > 0) then
    block
      real(real32) :: a(2, 3), c(2, 2)

      a = 1
      call ctx%matmul(a, a, c)
    end block
  end if
  call products()
  call transposes()
  call pairs()
  call bodies_in_motion()
  call contexts()
  if (failed > 0) error stop 1

contains

  subroutine expect(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what

    if (right) return
    write (*, '("check.f90: ", a)') what
    failed = failed + 1
  end subroutine

  ! Small integers, so that products are exact.
  subroutine products()
    real(real32), target :: as(16, 16)
    real(real32) :: bs(16, 16), cs(16, 16), ws(16, 16)
    real(real32), pointer :: vast(:, :)
    real(real64) :: ad(16, 16), bd(16, 16), cd(16, 16)
    complex(real32) :: ac(16, 16), bc(16, 16), cc(5, 6)
    complex(real64) :: az(16, 16), bz(16, 16), cz(5, 6)
    integer :: i, j, status
    character(200) :: message

    do concurrent (i=1:16, j=1:16)
      as(i, j) = mod(7*i + 3*j, 11) - 5
      bs(i, j) = mod(2*i + 5*j, 7) - 3
    end do
    ad = as
    bd = bs
    ac = cmplx(as, bs)
    bc = cmplx(bs, as)
    az = ac
    bz = bc

    ! A block whose columns are without gaps; every other row; backwards; one column.
    cs = 1
    ws = cs
    ws(2:6, 3:8) = 2*matmul(as(3:7, 1:9), bs(8:16, 2:7)) - 3*cs(2:6, 3:8)
    call ctx%gemm(as(3:7, 1:9), bs(8:16, 2:7), cs(2:6, 3:8), alpha=2.0, beta=-3.0)
    call expect(all(cs == ws), 'a block of real32')
    cs = 1
    ws = cs
    ws(1:10:2, 8:1:-1) = matmul(as(1:9:2, :), bs(:, 16:9:-1))
    call ctx%matmul(as(1:9:2, :), bs(:, 16:9:-1), cs(1:10:2, 8:1:-1))
    call expect(all(cs == ws), 'sections of real32')
    cs = 1
    ws = cs
    ws(4:4, 5:5) = matmul(as(2:2, :), bs(:, 3:3))
    call ctx%matmul(as(2:2, :), bs(:, 3:3), cs(4:4, 5:5))
    call expect(all(cs == ws), 'one element of real32')

    cd = 0
    call ctx%matmul(ad, bd, cd, transa='T', transb='t')
    call expect(all(cd == matmul(transpose(ad), transpose(bd))), 'transposes of real64')
    call ctx%gemm(ac(1:9, 2:6), bc(1:9, 1:6), cc, transa='C', alpha=(0.0, 1.0))
    call expect(all(cc == (0.0, 1.0)*matmul(conjg(transpose(ac(1:9, 2:6))), bc(1:9, 1:6))), &
      'conjugates of complex(real32)')
    cz = 1
    call ctx%gemm(az(1:5, 2:9), bz(2:7, 3:10), cz, transb='C', beta=(2.0_real64, 0.0_real64))
    call expect(all(cz == matmul(az(1:5, 2:9), conjg(transpose(bz(2:7, 3:10)))) + 2), &
      'conjugates of complex(real64)')

    ! No columns: nothing to do.  No terms: zeros.
    call ctx%matmul(as(:, 1:0), bs(1:0, :), cs)
    call expect(all(cs == 0), 'a product without terms')

    message = 'as it was'
    call ctx%matmul(as, bs, cs, stat=status, errmsg=message)
    call expect(status == CLOPT_OK .and. message == 'as it was', 'stat and errmsg of a success')
    call ctx%matmul(as(:, 1:3), bs(1:4, :), cs, stat=status, errmsg=message)
    call expect(status == CLOPT_EINVAL .and. index(message, 'op(A) is 16 x 3, op(B) is 4 x 16') > 0, &
      'sizes that do not fit')
    ! 2^31 elements: refused before one is touched, so that they need not be there.
    call c_f_pointer(c_loc(as), vast, [65536, 32768])
    call ctx%matmul(vast, vast(1:32768, 1:1), vast(:, 1:1), stat=status, errmsg=message)
    call expect(status == CLOPT_EINVAL .and. index(message, 'overlap') > 0, '2^31 elements: '//message)
    call ctx%matmul(as, bs, cs, transa='X', stat=status, errmsg=message)
    call expect(status == CLOPT_EINVAL .and. index(message, 'transa') > 0, 'no such transposition')
  end subroutine

  subroutine transposes()
    real(real32) :: s(6, 5), ts(5, 6), wide(10, 12)
    real(real64) :: d(6, 5), td(5, 6)
    complex(real32) :: c(6, 5), tc(5, 6)
    complex(real64) :: z(6, 5), tz(5, 6)
    integer :: i, status
    character(200) :: message

    s = reshape([(real(i), i=1, 30)], [6, 5])
    d = s
    c = cmplx(s, -s)
    z = c
    call ctx%transpose(s, ts)
    call ctx%transpose(d, td)
    call ctx%transpose(c, tc)
    call ctx%transpose(z, tz)
    call expect(all(ts == transpose(s)) .and. all(td == transpose(d)) .and. &
      all(tc == transpose(c)) .and. all(tz == transpose(z)), 'a transpose')
    wide = 0
    call ctx%transpose(s(2:6:2, :), wide(10:2:-2, 1:9:4))
    call expect(all(wide(10:2:-2, 1:9:4) == transpose(s(2:6:2, :))) .and. sum(wide) == &
      sum(s(2:6:2, :)), 'a transpose of sections')
    call ctx%transpose(s, s, stat=status, errmsg=message)
    call expect(status == CLOPT_EINVAL .and. index(message, '6 x 5') > 0, 'a shape of a transpose')
  end subroutine

  subroutine pairs()
    real(real32) :: q(4, 2), at(3, 1), phi(2), field(4, 1), acc(3, 2), short(1)
    real(real64) :: p(4, 2), potential(2), full(4, 2), normals(3, 2)
    integer :: status
    character(200) :: message

    q = reshape([0., 0., 0., 2., 3., 4., 0., -1.], [4, 2])
    p = q
    call ctx%potential(q, q, phi)
    call expect(all(abs(phi - [-0.2, 0.4]) < 1e-6), 'a potential of real32')
    call ctx%potential(p, p, potential, clopt_potential_options(law=CLOPT_LAW_DEBYE, &
      kappa=0.1_real64, scale=2.0_real64))
    call expect(all(abs(potential - [-0.4, 0.8]*exp(-0.5_real64)) < 1e-6), 'Debye''s law of real64')
    at(:, 1) = [0., 0., 2.]
    call ctx%potential(q(:, 1:1), at, field)
    call expect(all(abs(field(:, 1) - [0., 0., 0.5, 1.]) < 1e-6), 'a field of real32')
    call ctx%nbody(q, q, acc, clopt_nbody_options(softening=12.0_real64))
    call expect(all(abs(acc(:, 2) - [-6., -8., 0.]/2197) < 1e-8), 'softened gravity of real32')
    call ctx%nbody(p, p, full)
    call expect(all(abs(full(:, 2) - [-0.048_real64, -0.064_real64, 0.0_real64, -0.4_real64]) < &
      1e-14), 'gravity of real64')

    call ctx%potential(q, q, short, stat=status, errmsg=message)
    call expect(status == CLOPT_EINVAL .and. index(message, '1 x 1 and needs 1 x 2') > 0, &
      'too few results')
    call ctx%nbody(q(1:3, :), q, acc, stat=status, errmsg=message)
    call expect(status == CLOPT_EINVAL .and. index(message, 'sources have 3 rows') > 0, &
      'sources without weights')
    normals = 0
    call ctx%potential(p, p, potential, normals=real(normals), stat=status, errmsg=message)
    call expect(status == CLOPT_EINVAL .and. index(message, 'normals') > 0, 'normals of 3 numbers')
  end subroutine

  subroutine bodies_in_motion()
    real(real64), dimension(4, 3) :: b, v
    real(real32), dimension(4, 3) :: bs, vs
    type(clopt_conserved) :: before, after
    integer :: i, status
    character(200) :: message

    do i = 1, 3
      b(:, i) = [2.0_real64*i, i**2*1.0_real64, -1.0_real64*i, 1.0_real64]
      v(:, i) = [0.1_real64, -0.1_real64*i, 0.05_real64, 7.0_real64]
    end do
    bs = b
    vs = v
    call ctx%conserved(b, v, before)
    call ctx%evolve(b, v, 1e-3_real64, 1000, clopt_evolve_options(every=2), until_six)
    call ctx%conserved(b, v, after)
    call expect(last == 6 .and. all(v(4, :) == 7), 'a run that its observer ends')
    call expect(abs(after%kinetic + after%potential - before%kinetic - before%potential) < 1e-9 &
      .and. all(abs(after%momentum - before%momentum) < 1e-12), 'conserved sums')
    call ctx%leapfrog(bs, vs, 1e-3_real64, 6)
    call expect(all(abs(bs - b) < 1e-5), 'leapfrog of real32')
    call ctx%evolve(b(1:3, :), v, 1e-3_real64, 1, stat=status, errmsg=message)
    call expect(status == CLOPT_EINVAL .and. index(message, '3 x 3, velocities are 4 x 3') > 0, &
      'bodies without masses')
    call ctx%evolve(b, v, 1e-3_real64, -1, stat=status)
    call expect(status == CLOPT_EINVAL, 'a negative number of steps')
  end subroutine

  subroutine contexts()
    type(clopt_context) :: other
    type(clopt_report) :: report
    real(real64), dimension(4, 500) :: b, v
    real(real32) :: a(2, 2), t(2, 2)
    integer :: i, status
    character(40) :: message

    call expect(ctx%variant() /= '' .and. clopt_version() /= '', 'names')
    call ctx%report(report)
    call expect(report%seconds > 0, 'a report')
    call other%open(device='no such device', stat=status, errmsg=message)
    call expect(status == CLOPT_ENODEVICE .and. message /= '', 'a device that is not there')
    call other%matmul(a, a, t, stat=status)
    call expect(status == CLOPT_EINVAL, 'a context that is closed')

    call other%open(options=clopt_options(verbose=1), log=count_lines, progress=ask_twice)
    a = 1
    call other%transpose(a, t)
    call expect(lines == 1, 'a line of text')
    ! Much longer than it may take until it is asked twice.
    b = 0
    v = 0
    do i = 1, 500
      b(1, i) = i
    end do
    b(4, :) = 1
    call other%evolve(b, v, 1e-9_real64, 100000000, stat=status)
    call expect(status == CLOPT_ECANCELED .and. asked == 2, 'progress that ends a call')
    call other%cancel()
    call other%close()
    call other%close()

    call closing%open(options=clopt_options(verbose=1), log=close_in_line)
    call closing%transpose(a, t)
    call closing%transpose(a, t, stat=status)
    call expect(status == CLOPT_OK, 'close in a line of text')
    call closing%close()
    call closing%open()
    call closing%evolve(b, v, 1e-9_real64, 2, clopt_evolve_options(every=1), close_in_step, &
      stat=status)
    call closing%transpose(a, t, stat=status)
    call expect(status == CLOPT_OK, 'close in a step')
    call closing%close()
  end subroutine

end program
