// SPDX-License-Identifier: MIT
//! tour.rs - the library from Rust: a product, a transpose, the potential in a crystal,
//! a ring of bodies that turns. Each result is compared with plain loops or a formula.
//! clopt.rs says how to build it.
mod clopt;

use clopt::{Context, EvolveOptions, Point};
use std::f64::consts::PI;
use std::panic::{catch_unwind, set_hook, AssertUnwindSafe};

/// Each number is within the bound of the one wanted.
fn expect(what: &str, got: impl Iterator<Item = f64>, want: impl Iterator<Item = f64>, bound: f64) {
    for (got, want) in got.zip(want) {
        assert!(
            (got - want).abs() <= bound,
            "{}: {}, not {}",
            what,
            got,
            want
        );
    }
}

fn matrices(ctx: &Context) -> clopt::Result<()> {
    let (m, n, k) = (37, 41, 29);
    let a: Vec<f64> = (0..m * k)
        .map(|e| ((3 * (e / k) + 5 * (e % k)) % 7) as f64 - 3.0)
        .collect();
    let b: Vec<f64> = (0..k * n)
        .map(|e| ((2 * (e / n) + 7 * (e % n)) % 5) as f64 - 2.0)
        .collect();

    let c = ctx.matmul(m, n, k, &a, &b)?;

    let mut want = vec![0.0; m * n];
    for i in 0..m {
        for l in 0..k {
            for j in 0..n {
                want[i * n + j] += a[i * k + l] * b[l * n + j];
            }
        }
    }
    expect("matmul", c.iter().copied(), want.into_iter(), 0.0);
    let sum: f64 = (0..m * n).map(|e| (e / n + 1) as f64 * c[e]).sum();
    println!(
        "matmul     37 x 29 x 41: last {:.0}, weighted sum {:.0}",
        c[m * n - 1],
        sum
    );

    let t = ctx.transpose(m, k, &a)?;

    expect(
        "transpose",
        t.iter().copied(),
        (0..k * m).map(|e| a[e % m * k + e / m]),
        0.0,
    );
    println!("transpose  last row begins with {:.0}", t[(k - 1) * m]);
    Ok(())
}

fn distance(p: &Point, q: &Point) -> f64 {
    ((p.x - q.x).powi(2) + (p.y - q.y).powi(2) + (p.z - q.z).powi(2)).sqrt()
}

/// Ions of charge 1 and -1 by turns, a unit apart: rock salt.
fn crystal(ctx: &Context) -> clopt::Result<()> {
    let ions: Vec<Point> = (0..512)
        .map(|i| {
            let (x, y, z) = (i / 64, i / 8 % 8, i % 8);
            Point {
                x: x as f64,
                y: y as f64,
                z: z as f64,
                w: 1.0 - 2.0 * ((x + y + z) % 2) as f64,
            }
        })
        .collect();

    let phi = ctx.potential(&ions, &ions)?;

    let want = ions.iter().map(|p| {
        ions.iter()
            .filter(|&q| q != p)
            .map(|q| q.w / distance(p, q))
            .sum::<f64>()
    });
    expect("potential", phi.iter().copied(), want, 1e-10);
    let energy: f64 = ions.iter().zip(&phi).map(|(p, phi)| p.w * phi / 2.0).sum();
    println!("potential  energy per pair of ions {:.4}", energy / 256.0);
    Ok(())
}

/// Six bodies on a circle of radius 1, of mass 1 in all, attract each other towards the centre by
/// a = (1/24) sum over k of 1 / sin(pi k / 6). With a velocity of sqrt(a) the ring turns.
fn ring(ctx: &Context) -> clopt::Result<()> {
    let a: f64 = (1..6)
        .map(|k| 1.0 / (PI * k as f64 / 6.0).sin() / 24.0)
        .sum();
    let at = |i: usize| (PI * i as f64 / 3.0).sin_cos();
    let begin: Vec<Point> = (0..6)
        .map(at)
        .map(|(sin, cos)| Point {
            x: cos,
            y: sin,
            z: 0.0,
            w: 1.0 / 6.0,
        })
        .collect();
    let mut bodies = begin.clone();
    let mut velocities: Vec<Point> = (0..6)
        .map(at)
        .map(|(sin, cos)| Point {
            x: -a.sqrt() * sin,
            y: a.sqrt() * cos,
            z: 0.0,
            w: 0.0,
        })
        .collect();

    let acc = ctx.nbody(&bodies, &bodies, 0.0)?;

    expect(
        "nbody",
        acc.iter().flat_map(|p| [p.x, p.y, p.z]),
        bodies.iter().flat_map(|p| [-a * p.x, -a * p.y, 0.0]),
        1e-12,
    );
    println!(
        "nbody      acceleration {:.4} towards the centre",
        acc[0].x.hypot(acc[0].y)
    );

    // Once round in 400 steps; the callback sees each quarter.
    let options = EvolveOptions {
        hermite: true,
        every: 100,
        ..Default::default()
    };
    print!("evolve     energy");
    ctx.evolve(
        &mut bodies,
        &mut velocities,
        2.0 * PI / a.sqrt() / 400.0,
        400,
        options,
        |step, _, _, sums| {
            print!(", step {}: {:.4}", step, sums.kinetic + sums.potential);
            true
        },
    )?;
    println!();
    expect(
        "evolve",
        bodies.iter().flat_map(|p| [p.x, p.y, p.z]),
        begin.iter().flat_map(|p| [p.x, p.y, p.z]),
        1e-5,
    );

    // A panic in the callback ends the run and goes on after it.
    set_hook(Box::new(|_| ()));
    let panic = catch_unwind(AssertUnwindSafe(|| {
        let options = EvolveOptions {
            every: 1,
            ..options
        };
        ctx.evolve(
            &mut bodies,
            &mut velocities,
            1e-3,
            400,
            options,
            |step, _, _, _| {
                if step == 3 {
                    panic!("enough at step 3");
                }
                true
            },
        )
    }));
    let _ = std::panic::take_hook();
    println!(
        "callback   {}",
        panic.unwrap_err().downcast_ref::<&str>().unwrap()
    );
    Ok(())
}

fn main() -> clopt::Result<()> {
    let ctx = Context::open()?;
    matrices(&ctx)?;
    crystal(&ctx)?;
    ring(&ctx)?;
    if let Err(e) = Context::on("no such device") {
        println!("error      {}, {}", e.status, clopt::strerror(e.status));
    }
    Ok(())
}
