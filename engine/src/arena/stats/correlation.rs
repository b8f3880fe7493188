//! Pearson's correlation and means of samples.

use super::{
    Interval, NORMAL_95,
    distributions::{student_two_sided, student_two_sided_quantile},
};

/// The linear correlation of two measured values.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Correlation {
    /// Number of points.
    pub points: u32,
    /// Pearson's coefficient, from -1 to 1.
    pub r: f64,
}

impl Correlation {
    /// The correlation of the points. None if there are fewer than three, if one of the values does not vary, or if one is not finite.
    ///
    /// `sum (x - mean x)(y - mean y) / sqrt(sum (x - mean x)^2 sum (y - mean y)^2)`
    pub fn pearson(points: &[(f64, f64)]) -> Option<Self> {
        let count = u32::try_from(points.len())
            .ok()
            .filter(|&count| count >= 3)?;
        let mean_x = points.iter().map(|point| point.0).sum::<f64>() / f64::from(count);
        let mean_y = points.iter().map(|point| point.1).sum::<f64>() / f64::from(count);
        let (mut square_x, mut square_y, mut product) = (0.0, 0.0, 0.0);
        for &(x, y) in points {
            let (x, y) = (x - mean_x, y - mean_y);
            square_x += x * x;
            square_y += y * y;
            product += x * y;
        }
        let r = product / (square_x.sqrt() * square_y.sqrt());
        r.is_finite().then(|| Self {
            points: count,
            r: r.clamp(-1.0, 1.0),
        })
    }

    /// How often uncorrelated normal values would be correlated at least this much: Student's test with n - 2 degrees of freedom on
    /// `r sqrt((n - 2) / (1 - r^2))`.
    pub fn p_value(self) -> f64 {
        let degrees = f64::from(self.points) - 2.0;
        let rest = (1.0 - self.r) * (1.0 + self.r);
        student_two_sided(self.r * (degrees / rest).sqrt(), degrees)
    }

    /// Where the true coefficient lies with 95 % confidence, by Fisher's transformation; all of -1 to 1 for three points.
    pub fn interval(self) -> Interval {
        if self.points <= 3 {
            return Interval {
                low: -1.0,
                high: 1.0,
            };
        }
        let spread = NORMAL_95 / (f64::from(self.points) - 3.0).sqrt();
        // At -1 and 1 the transformed coefficient is infinite, and so are both ends.
        let centre = libm::atanh(self.r);
        Interval {
            low: libm::tanh(centre - spread),
            high: libm::tanh(centre + spread),
        }
    }
}

/// The mean of measured values and how far to trust it.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Sample {
    /// Number of values.
    pub count: u32,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation, with n - 1 below; 0 for one value.
    pub deviation: f64,
}

impl Sample {
    /// The sample of these values; none if there are none, or if one is not finite.
    pub fn of(values: &[f64]) -> Option<Self> {
        let count = u32::try_from(values.len())
            .ok()
            .filter(|&count| count > 0)?;
        let mean = values.iter().sum::<f64>() / f64::from(count);
        let squares: f64 = values
            .iter()
            .map(|value| (value - mean) * (value - mean))
            .sum();
        let deviation = (squares / f64::from(count.max(2) - 1)).sqrt();
        (mean.is_finite() && deviation.is_finite()).then_some(Self {
            count,
            mean,
            deviation,
        })
    }

    /// Where the true mean lies with 95 % confidence, by Student's distribution; none for one value.
    pub fn interval(self) -> Option<Interval> {
        if self.count < 2 {
            return None;
        }
        let degrees = f64::from(self.count - 1);
        let spread = student_two_sided_quantile(0.05, degrees) * self.deviation
            / f64::from(self.count).sqrt();
        Some(Interval {
            low: self.mean - spread,
            high: self.mean + spread,
        })
    }
}
/// The exponent of the power law `y = c x^k` that fits measured costs best: the slope of the regression line of `ln y` on `ln x`.
/// None for fewer than two sizes, or values that are not positive.
///
/// `sum (ln x - mean ln x)(ln y - mean ln y) / sum (ln x - mean ln x)^2`
pub fn growth_exponent(points: &[(f64, f64)]) -> Option<f64> {
    let logarithms: Vec<(f64, f64)> = points
        .iter()
        .map(|&(x, y)| (libm::log(x), libm::log(y)))
        .collect();
    let count = logarithms.len() as f64;
    let mean_x = logarithms.iter().map(|point| point.0).sum::<f64>() / count;
    let mean_y = logarithms.iter().map(|point| point.1).sum::<f64>() / count;
    let (mut square, mut product) = (0.0, 0.0);
    for (x, y) in logarithms {
        square += (x - mean_x) * (x - mean_x);
        product += (x - mean_x) * (y - mean_y);
    }
    let exponent = product / square;
    exponent.is_finite().then_some(exponent)
}
