// SPDX-License-Identifier: MIT
//! check.rs - clopt.rs, which lies beside it here: errors with their numbers, an observer that ends a
//! run, threads on one context.
mod clopt;

use clopt::{sys, Context, EvolveOptions, Point};

fn text<T>(result: clopt::Result<T>) -> String {
    let e = result.err().expect("no error");
    assert_eq!(e.status, sys::CLOPT_EINVAL);
    e.to_string()
}

fn main() -> clopt::Result<()> {
    let ctx = Context::open()?;
    let a: Vec<f32> = (0..6).map(|i| i as f32).collect();

    assert!(text(ctx.matmul(2, 2, 2, &a, &a)).contains("6 elements for 2 x 2"));
    assert!(text(ctx.matmul(usize::MAX, 2, 2, &a, &a)).contains("matmul"));
    assert!(text(ctx.matmul::<f32>(usize::MAX, 2, 0, &[], &[])).contains("too many"));
    assert!(text(ctx.transpose(2, 2, &a)).contains("6 elements for 2 x 2"));
    assert!(text(ctx.transpose(1, 1, &[[0u8; 3]])).contains("3"));
    assert!(text(Context::on("a\0b")).contains("NUL"));
    assert!(ctx.matmul::<f64>(0, 3, 2, &[], &[0.0; 6])?.is_empty());
    assert_eq!(ctx.matmul::<f64>(1, 2, 0, &[], &[])?, [0.0, 0.0]);

    let rest = [Point::default(); 2];
    let mut bodies = [
        Point { w: 1.0, ..rest[0] },
        Point {
            x: 2.0,
            w: 1.0,
            ..rest[0]
        },
    ];
    let mut v = rest;
    let mut last = 0;
    let options = EvolveOptions {
        every: 2,
        ..Default::default()
    };
    ctx.evolve(
        &mut bodies,
        &mut v,
        1e-3,
        100,
        options,
        |step, b, _, sums| {
            last = step;
            b.len() == 2 && sums.mass == 2.0 && step < 6
        },
    )?;
    assert_eq!(last, 6);
    assert!(
        text(ctx.evolve(&mut bodies, &mut v[1..], 1.0, 1, options, |_, _, _, _| true))
            .contains("2 bodies, 1 velocities")
    );
    assert!(text(ctx.nbody(&bodies, &bodies, f64::NAN)).contains("softening"));

    // Each thread has the text of its own failure.
    std::thread::scope(|s| {
        for n in 1..5 {
            let (ctx, a) = (&ctx, &a);
            s.spawn(move || {
                for _ in 0..20 {
                    assert_eq!(ctx.transpose(n, 1, &a[..n]).unwrap(), a[..n]);
                    let bad = unsafe {
                        ctx.check(sys::clopt_transpose(
                            ctx.raw(),
                            1,
                            n + 1,
                            4,
                            a.as_ptr() as *const _,
                            n,
                            std::ptr::null_mut(),
                            1,
                        ))
                    };
                    assert!(text(bad).contains(&n.to_string()));
                }
            });
        }
    });
    Ok(())
}
