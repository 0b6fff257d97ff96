! SPDX-License-Identifier: MIT
!
! tour.f90 - the library from Fortran: a product, a transpose, the potential in a crystal,
! a ring of bodies that turns.  Each result is compared with plain loops or a formula.
!
!     dir=$(pkg-config --variable=includedir clopt)
!     gfortran $dir/clopt.f90 tour.f90 $(pkg-config --libs clopt)
module tour_watch
  use, intrinsic :: iso_fortran_env, only: real64, int64
  use clopt
  implicit none

contains

  ! evolve calls it: at each quarter of the turn it writes the energy.
  subroutine write_energy(step, bodies, velocities, sums, halt)
    integer(int64), intent(in) :: step
    real(real64), intent(in) :: bodies(:, :), velocities(:, :)
    type(clopt_conserved), intent(in) :: sums
    logical, intent(inout) :: halt

    if (size(bodies) /= size(velocities)) halt = .true.
    write (*, '(", step ", i0, ": ", f7.4)', advance='no') step, sums%kinetic + sums%potential
  end subroutine

  ! Ends the run at step 3.
  subroutine stop_early(step, bodies, velocities, sums, halt)
    integer(int64), intent(in) :: step
    real(real64), intent(in) :: bodies(:, :), velocities(:, :)
    type(clopt_conserved), intent(in) :: sums
    logical, intent(inout) :: halt

    if (step < 3 .and. sums%mass > 0 .and. size(bodies) == size(velocities)) return
    write (*, '("callback   enough at step ", i0)') step
    halt = .true.
  end subroutine

end module

program tour
  use, intrinsic :: iso_fortran_env, only: real64
  use clopt
  use tour_watch
  implicit none

  type(clopt_context) :: ctx, other
  logical :: right = .true.
  integer :: status

  call ctx%open()
  call matrices()
  call crystal()
  call ring()
  call ctx%close()

  call other%open(device='no such device', stat=status)
  write (*, '("error      ", i0, ", ", a)') status, clopt_strerror(status)
  if (.not. right) error stop 'the tour has wrong results'

contains

  ! A NaN is no number within the bound either.
  subroutine expect(what, error, bound)
    character(*), intent(in) :: what
    real(real64), intent(in) :: error(:, :), bound

    if (all(abs(error) <= bound)) return
    write (*, '(a, ": wrong by up to ", es9.2)') what, maxval(abs(error))
    right = .false.
  end subroutine

  subroutine matrices()
    integer, parameter :: m = 37, n = 41, k = 29
    real(real64) :: a(m, k), b(k, n), c(m, n), t(k, m), want(m, n)
    integer :: i, j, l

    do concurrent (i=1:m, l=1:k)
      a(i, l) = mod(3*(i - 1) + 5*(l - 1), 7) - 3
    end do
    do concurrent (l=1:k, j=1:n)
      b(l, j) = mod(2*(l - 1) + 7*(j - 1), 5) - 2
    end do

    call ctx%matmul(a, b, c)

    want = 0
    do j = 1, n
      do l = 1, k
        do i = 1, m
          want(i, j) = want(i, j) + a(i, l)*b(l, j)
        end do
      end do
    end do
    call expect('matmul', c - want, 0.0_real64)
    write (*, '("matmul     37 x 29 x 41: last ", i0, ", weighted sum ", i0)') nint(c(m, n)), &
      nint(sum([(i, i=1, m)]*sum(c, dim=2)))

    call ctx%transpose(a, t)

    write (*, '("transpose  last row begins with ", i0)') nint(t(k, 1))
    do concurrent (i=1:m, l=1:k)
      t(l, i) = t(l, i) - a(i, l)
    end do
    call expect('transpose', t, 0.0_real64)
  end subroutine

  ! Ions of charge 1 and -1 by turns, a unit apart: rock salt.
  subroutine crystal()
    real(real64) :: ions(4, 512), phi(512), error(512, 1), want
    integer :: i, j, at(3)

    do i = 1, 512
      at = [(i - 1)/64, mod((i - 1)/8, 8), mod(i - 1, 8)]
      ions(1:3, i) = at
      ions(4, i) = 1 - 2*mod(sum(at), 2)
    end do

    call ctx%potential(ions, ions, phi)

    do i = 1, 512
      want = 0
      do j = 1, 512
        if (j /= i) want = want + ions(4, j)/norm2(ions(1:3, i) - ions(1:3, j))
      end do
      error(i, 1) = phi(i) - want
    end do
    call expect('potential', error, 1e-10_real64)
    write (*, '("potential  energy per pair of ions ", f7.4)') dot_product(ions(4, :), phi)/2/256
  end subroutine

  ! Six bodies on a circle of radius 1, of mass 1 in all, attract each other towards the centre by
  ! a = (1/24) sum over k of 1 / sin(pi k / 6).  With a velocity of sqrt(a) the ring turns.
  subroutine ring()
    real(real64), parameter :: pi = acos(-1.0_real64)
    real(real64), dimension(4, 6) :: bodies, velocities, begin, acc
    real(real64) :: a, angle
    integer :: i

    a = sum([(1/sin(pi*i/6)/24, i=1, 5)])
    do i = 1, 6
      angle = pi*(i - 1)/3
      bodies(:, i) = [cos(angle), sin(angle), 0.0_real64, 1.0_real64/6]
      velocities(:, i) = sqrt(a)*[-sin(angle), cos(angle), 0.0_real64, 0.0_real64]
    end do
    begin = bodies

    call ctx%nbody(bodies, bodies, acc)

    call expect('nbody', acc(1:3, :) + a*bodies(1:3, :), 1e-12_real64)
    write (*, '("nbody      acceleration ", f6.4, " towards the centre")') norm2(acc(1:3, 1))

    ! Once round in 400 steps; the callback sees each quarter.
    write (*, '("evolve     energy")', advance='no')
    call ctx%evolve(bodies, velocities, 2*pi/sqrt(a)/400, 400, &
      clopt_evolve_options(integrator=CLOPT_INTEGRATOR_HERMITE, every=100), write_energy)
    write (*, '()')
    call expect('evolve', bodies - begin, 1e-5_real64)

    call ctx%evolve(bodies, velocities, 1e-3_real64, 400, &
      clopt_evolve_options(integrator=CLOPT_INTEGRATOR_HERMITE, every=1), stop_early)
  end subroutine

end program
