//! Something whose time is taken, again and again, in changing order.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// One thing to measure.
pub(crate) struct Probe {
    pub(crate) name: String,
    /// Does it so many times and says how long that took.
    work: Box<dyn FnMut(usize) -> Duration>,
    repeats: usize,
}

/// Nanoseconds per operation, by the name of the probe, sorted.
pub(crate) struct Samples(BTreeMap<String, Vec<f64>>);

/// A sample of something quick repeats it until this much time has passed.
const SAMPLE: Duration = Duration::from_millis(2);
/// What takes longer than this is done once per sample.
const SLOW: Duration = Duration::from_micros(200);

impl Probe {
    /// A probe whose work takes its own time.
    pub(crate) fn new(
        name: impl Into<String>,
        work: impl FnMut(usize) -> Duration + 'static,
    ) -> Self {
        Self { name: name.into(), work: Box::new(work), repeats: 1 }
    }

    /// A probe that does one thing over and over.
    pub(crate) fn of(name: impl Into<String>, mut once: impl FnMut() + 'static) -> Self {
        Self::new(name, move |repeats| {
            let started = Instant::now();
            for _ in 0..repeats {
                once();
            }
            started.elapsed()
        })
    }

    /// Warms up, and finds out how often to repeat.
    fn calibrate(&mut self) {
        let once = (0..10).map(|_| (self.work)(1)).min().unwrap_or_default();
        let fits = SAMPLE.as_nanos() / once.as_nanos().max(1);
        self.repeats = if once > SLOW { 1 } else { usize::try_from(fits).unwrap_or(1).max(1) };
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "a time in nanoseconds, shown with three digits"
    )]
    fn sample(&mut self) -> f64 {
        (self.work)(self.repeats).as_nanos() as f64 / self.repeats as f64
    }
}

/// Measures every probe once per round, each round in another order, so that whatever
/// else the machine does hits them all alike.
pub(crate) fn measure(probes: &mut [Probe], rounds: usize) -> Samples {
    for probe in probes.iter_mut() {
        probe.calibrate();
    }
    let mut samples: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    for _ in 0..rounds {
        chance.shuffle(probes);
        for probe in probes.iter_mut() {
            samples.entry(probe.name.clone()).or_default().push(probe.sample());
        }
    }
    for values in samples.values_mut() {
        values.sort_by(f64::total_cmp);
    }
    Samples(samples)
}

impl Samples {
    /// The value below which this share of the samples lies.
    pub(crate) fn quantile(&self, probe: &str, share: (usize, usize)) -> Option<f64> {
        let values = self.0.get(probe)?;
        values.get(values.len() * share.0 / share.1).copied()
    }
}

/// A xorshift generator: the order of a benchmark needs no better chance.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = usize::try_from(self.next() % (last as u64 + 1)).unwrap_or(last);
            items.swap(last, other);
        }
    }
}
