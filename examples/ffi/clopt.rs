// SPDX-License-Identifier: MIT
//! clopt.rs - the library for Rust: a safe part of it, over all of it in `sys`.
//!
//! `sys` is clopt_c.rs, which make writes from the C headers; it has to lie beside this file.
//!
//!     rustc -O program.rs -l clopt
//!
//! A failure is an `Error` with the library's text. A panic in a callback does not pass through C:
//! it ends the call, and goes on after it. Threads may share a context.
#![allow(dead_code)]

use std::any::Any;
use std::ffi::{CStr, CString};
use std::fmt;
use std::os::raw::{c_int, c_void};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr::{null, null_mut};

#[allow(non_camel_case_types)]
pub mod sys {
    include!("clopt_c.rs");
}

/// A status of `enum clopt_status` and its cause in words.
#[derive(Clone, Debug)]
pub struct Error {
    pub status: i32,
    pub text: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Error {}

pub type Result<T> = std::result::Result<T, Error>;

/// A status in a few words.
pub fn strerror(status: i32) -> String {
    unsafe { CStr::from_ptr(sys::clopt_strerror(status)) }
        .to_string_lossy()
        .into_owned()
}

fn invalid<T>(text: String) -> Result<T> {
    Err(Error {
        status: sys::CLOPT_EINVAL,
        text,
    })
}

/// A point and its charge or mass; of a result, an acceleration and the potential.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
    pub z: f64,
    pub w: f64,
}

/// Sums over all bodies.
pub type Conserved = sys::clopt_conserved;

/// Options with C's defaults: `EvolveOptions { every: 10, ..Default::default() }`.
#[derive(Clone, Copy, Debug, Default)]
pub struct EvolveOptions {
    pub g: f64,
    pub softening: f64,
    pub hermite: bool,
    pub every: usize,
}

/// Numbers of which there are products.
pub trait Number: Copy + Default {
    /// # Safety
    /// The arrays have to be as long as the sizes say.
    unsafe fn gemm(
        ctx: *mut sys::clopt,
        size: [usize; 3],
        a: *const Self,
        b: *const Self,
        c: *mut Self,
    ) -> c_int;
}

macro_rules! number {
    ($type:ty, $gemm:ident) => {
        impl Number for $type {
            unsafe fn gemm(
                ctx: *mut sys::clopt,
                [m, n, k]: [usize; 3],
                a: *const Self,
                b: *const Self,
                c: *mut Self,
            ) -> c_int {
                sys::$gemm(
                    ctx,
                    sys::CLOPT_LAYOUT_ROW_MAJOR,
                    sys::CLOPT_TRANS_NO,
                    sys::CLOPT_TRANS_NO,
                    m,
                    n,
                    k,
                    1.0,
                    a,
                    k.max(1),
                    b,
                    n.max(1),
                    0.0,
                    c,
                    n.max(1),
                )
            }
        }
    };
}
number!(f32, clopt_sgemm);
number!(f64, clopt_dgemm);

pub struct Context {
    raw: *mut sys::clopt,
}

unsafe impl Send for Context {}
unsafe impl Sync for Context {}

impl Drop for Context {
    fn drop(&mut self) {
        unsafe { sys::clopt_close(self.raw) }
    }
}

impl Context {
    /// The best device there is.
    pub fn open() -> Result<Context> {
        Context::with_device(None)
    }

    /// As CLOPT_DEVICE says: "pocl", "gpu".
    pub fn on(device: &str) -> Result<Context> {
        Context::with_device(Some(device))
    }

    fn with_device(device: Option<&str>) -> Result<Context> {
        let name = match device.map(CString::new).transpose() {
            Ok(name) => name,
            Err(_) => return invalid("the device's name has a NUL in it".to_string()),
        };
        let mut raw = null_mut();
        unsafe {
            let mut options = std::mem::zeroed::<sys::clopt_options>();
            sys::clopt_options_init(&mut options, std::mem::size_of_val(&options));
            options.device = name.as_ref().map_or(null(), |n| n.as_ptr());
            let status = sys::clopt_open(&mut raw, &options);
            let ctx = Context { raw };
            ctx.check(status).map(|_| ctx)
        }
    }

    /// For functions of `sys` that have no method here; `check` makes an `Error` of their status.
    pub fn raw(&self) -> *mut sys::clopt {
        self.raw
    }

    pub fn check(&self, status: c_int) -> Result<()> {
        if status == sys::CLOPT_OK {
            return Ok(());
        }
        let text = unsafe { CStr::from_ptr(sys::clopt_error(self.raw)) }.to_string_lossy();
        Err(Error {
            status,
            text: if text.is_empty() {
                strerror(status)
            } else {
                text.into_owned()
            },
        })
    }

    /// An error if a result is wrong here.
    pub fn selfcheck(&self) -> Result<()> {
        self.check(unsafe { sys::clopt_selfcheck(self.raw, null()) })
    }

    /// The product of an m x k and a k x n matrix, row by row.
    pub fn matmul<T: Number>(
        &self,
        m: usize,
        n: usize,
        k: usize,
        a: &[T],
        b: &[T],
    ) -> Result<Vec<T>> {
        if Some(a.len()) != m.checked_mul(k) || Some(b.len()) != k.checked_mul(n) {
            return invalid(format!(
                "matmul: a has {} elements for {} x {}, b {} for {} x {}",
                a.len(),
                m,
                k,
                b.len(),
                k,
                n
            ));
        }
        let size = match m.checked_mul(n) {
            Some(size) => size,
            None => return invalid(format!("matmul: {} x {} elements are too many", m, n)),
        };
        let mut c = vec![T::default(); size];
        self.check(unsafe {
            T::gemm(self.raw, [m, n, k], a.as_ptr(), b.as_ptr(), c.as_mut_ptr())
        })?;
        Ok(c)
    }

    /// The transpose of a matrix of numbers of 1 to 16 bytes.
    pub fn transpose<T: Copy + Default>(
        &self,
        rows: usize,
        cols: usize,
        a: &[T],
    ) -> Result<Vec<T>> {
        if Some(a.len()) != rows.checked_mul(cols) {
            return invalid(format!(
                "transpose: {} elements for {} x {}",
                a.len(),
                rows,
                cols
            ));
        }
        let mut t = vec![T::default(); a.len()];
        self.check(unsafe {
            sys::clopt_transpose(
                self.raw,
                rows,
                cols,
                std::mem::size_of::<T>(),
                a.as_ptr() as *const c_void,
                cols.max(1),
                t.as_mut_ptr() as *mut c_void,
                rows.max(1),
            )
        })?;
        Ok(t)
    }

    /// The Coulomb potential of the sources at the targets.
    pub fn potential(&self, sources: &[Point], targets: &[Point]) -> Result<Vec<f64>> {
        let mut phi = vec![0.0; targets.len()];
        unsafe {
            let mut r = results();
            r.phi = phi.as_mut_ptr() as *mut c_void;
            self.check(sys::clopt_potential_points(
                self.raw,
                &points(sources),
                &points(targets),
                &r,
                null(),
            ))?;
        }
        Ok(phi)
    }

    /// Accelerations, and in w the potential.
    pub fn nbody(
        &self,
        sources: &[Point],
        targets: &[Point],
        softening: f64,
    ) -> Result<Vec<Point>> {
        let mut acc = vec![Point::default(); targets.len()];
        unsafe {
            let mut o = std::mem::zeroed::<sys::clopt_nbody_options>();
            sys::clopt_nbody_options_init(&mut o, std::mem::size_of_val(&o));
            o.softening = softening;
            let mut r = results();
            let first = acc.as_mut_ptr() as *mut f64;
            r.stride_bytes = std::mem::size_of::<Point>();
            r.x = first as *mut c_void;
            r.y = first.wrapping_add(1) as *mut c_void;
            r.z = first.wrapping_add(2) as *mut c_void;
            r.phi = first.wrapping_add(3) as *mut c_void;
            self.check(sys::clopt_gravity(
                self.raw,
                &points(sources),
                &points(targets),
                &r,
                &o,
            ))?;
        }
        Ok(acc)
    }

    /// Moves bodies through steps of length dt. `each` gets the number of the step, bodies,
    /// velocities and sums, and ends the run by false.
    pub fn evolve<F>(
        &self,
        bodies: &mut [Point],
        velocities: &mut [Point],
        dt: f64,
        steps: usize,
        options: EvolveOptions,
        each: F,
    ) -> Result<()>
    where
        F: FnMut(usize, &[Point], &[Point], &Conserved) -> bool,
    {
        if bodies.len() != velocities.len() {
            return invalid(format!(
                "evolve: {} bodies, {} velocities",
                bodies.len(),
                velocities.len()
            ));
        }
        let mut observer = Observer {
            each,
            n: bodies.len(),
            panic: None,
        };
        let status = unsafe {
            let mut o = std::mem::zeroed::<sys::clopt_evolve_options>();
            sys::clopt_evolve_options_init(&mut o, std::mem::size_of_val(&o));
            o.g = options.g;
            o.softening = options.softening;
            o.integrator = if options.hermite {
                sys::CLOPT_INTEGRATOR_HERMITE
            } else {
                0
            };
            o.every = options.every;
            o.each = Some(observe::<F>);
            o.user = &mut observer as *mut Observer<F> as *mut c_void;
            sys::clopt_nbody_evolve(
                self.raw,
                bodies.len(),
                bodies.as_mut_ptr() as *mut f64,
                velocities.as_mut_ptr() as *mut f64,
                dt,
                steps,
                &o,
            )
        };
        if let Some(panic) = observer.panic {
            resume_unwind(panic);
        }
        self.check(status)
    }
}

struct Observer<F> {
    each: F,
    n: usize,
    panic: Option<Box<dyn Any + Send>>,
}

unsafe extern "C" fn observe<F>(
    user: *mut c_void,
    step: usize,
    bodies: *const f64,
    velocities: *const f64,
    sums: *const Conserved,
) -> c_int
where
    F: FnMut(usize, &[Point], &[Point], &Conserved) -> bool,
{
    let o = &mut *(user as *mut Observer<F>);
    let b = std::slice::from_raw_parts(bodies as *const Point, o.n);
    let v = std::slice::from_raw_parts(velocities as *const Point, o.n);
    let each = &mut o.each;
    match catch_unwind(AssertUnwindSafe(|| each(step, b, v, &*sums))) {
        Ok(on) => !on as c_int,
        Err(panic) => {
            o.panic = Some(panic);
            1
        }
    }
}

unsafe fn points(p: &[Point]) -> sys::clopt_points {
    let mut s = std::mem::zeroed::<sys::clopt_points>();
    let first = p.as_ptr() as *const f64;
    sys::clopt_points_init(&mut s, std::mem::size_of_val(&s));
    s.n = p.len();
    s.stride_bytes = std::mem::size_of::<Point>();
    s.x = first as *const c_void;
    s.y = first.wrapping_add(1) as *const c_void;
    s.z = first.wrapping_add(2) as *const c_void;
    s.w = first.wrapping_add(3) as *const c_void;
    s
}

unsafe fn results() -> sys::clopt_results {
    let mut r = std::mem::zeroed::<sys::clopt_results>();
    sys::clopt_results_init(&mut r, std::mem::size_of_val(&r));
    r
}
