//! Plots drawn as SVG inside the page, whose style sheet has the colours.

use super::{
    markup::Markup,
    plot::{Axis, BarPlot, DotPlot, Line, LinePlot, Palette, Plot, Role, Scale, Unit},
};

/// The drawing's width; the page scales it.
const WIDTH: f64 = 1072.0;
/// Where the plotted area begins and ends in plots with labels on the left and values on the right.
const AREA: [f64; 2] = [232.0, 904.0];
/// Letters of a label that fit beside the area.
const LABEL_CHARS: usize = 26;
/// From one dot or bar of a row to the next.
const STEP: f64 = 26.0;
/// Above the first and below the last dot of a row, together.
const ROW_PADDING: f64 = 26.0;
/// A label of two lines with a note.
const MIN_ROW: f64 = 60.0;
/// Below the rows: tick labels.
const FOOT: f64 = 36.0;
/// Height of a legend line.
const LEGEND: f64 = 32.0;
/// Plotted area of a line plot.
const LINE_AREA: [f64; 4] = [96.0, 16.0, 880.0, 320.0];
/// Lines of text at least so far apart.
const TEXT_STEP: f64 = 18.0;

/// Draws a plot. `id` is unique in the page; `title` names the plot for those who do not see it.
pub(super) fn draw(page: &mut Markup, plot: &Plot, id: &str, title: &str) {
    let height = match plot {
        Plot::Dots(plot) => dots_height(plot),
        Plot::Bars(plot) => bars_height(plot),
        Plot::Lines(_) => LINE_AREA[3] + 60.0,
    };
    let view = format!("0 0 {} {}", number(WIDTH), number(height));
    let [title_id, desc_id] = [format!("{id}-title"), format!("{id}-desc")];
    let labelled = format!("{title_id} {desc_id}");
    page.open(
        "svg",
        &[
            ("class", "plot"),
            ("viewBox", &view),
            ("role", "img"),
            ("aria-labelledby", &labelled),
            ("xmlns", "http://www.w3.org/2000/svg"),
        ],
    );
    page.line().element("title", &[("id", &title_id)], title);
    page.element("desc", &[("id", &desc_id)], &describe(plot))
        .line();
    match plot {
        Plot::Dots(plot) => draw_dots(page, plot),
        Plot::Bars(plot) => draw_bars(page, plot),
        Plot::Lines(plot) => draw_lines(page, plot),
    }
    page.close().line();
}

/// The plotted values in words.
fn describe(plot: &Plot) -> String {
    let table = plot.table();
    let headings: Vec<&str> = table
        .columns
        .iter()
        .map(|column| column.heading.as_str())
        .collect();
    let rows = table.filled_rows();
    let rows: Vec<String> = (rows.iter())
        .map(|cells| {
            let cells = cells
                .iter()
                .zip(&headings)
                .filter(|(cell, _)| !cell.text.is_empty());
            let words: Vec<String> = cells
                .map(|(cell, heading)| format!("{heading} {}", cell.text).trim().to_owned())
                .collect();
            words.join(", ")
        })
        .collect();
    rows.join("; ")
}

/// A length as SVG writes it: at most two decimals.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Places of values along an axis.
struct Ruler {
    low: f64,
    high: f64,
    pixels: [f64; 2],
    scale: Scale,
}

impl Ruler {
    /// A ruler that holds all values, between two lengths.
    fn new(
        axis: &Axis,
        values: impl Iterator<Item = f64>,
        from_zero: bool,
        pixels: [f64; 2],
    ) -> Self {
        let is_usable =
            |value: &f64| value.is_finite() && (axis.scale == Scale::Linear || *value > 0.0);
        let transform = |value: f64| transform(axis.scale, value);
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(is_usable).map(transform) {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if from_zero && axis.scale == Scale::Linear {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
        if high - low < 1e-9 * high.abs().max(1e-3) {
            let spread = (high.abs() / 10.0).max(0.05);
            (low, high) = (low - spread, high + spread);
        }
        let step = tick_step(high - low, axis.scale);
        // Ends on ticks, with shares kept between 0 and 1.
        let (mut low, mut high) = (
            libm::floor(low / step + 1e-9) * step,
            libm::ceil(high / step - 1e-9) * step,
        );
        if axis.unit == Unit::Percent && axis.scale == Scale::Linear {
            (low, high) = (low.max(0.0), high.min(1.0));
        }
        Self {
            low,
            high,
            pixels,
            scale: axis.scale,
        }
    }

    /// Where a value lies; within the ruler's ends.
    fn place(&self, value: f64) -> f64 {
        let [from, to] = self.pixels;
        let share = (transform(self.scale, value) - self.low) / (self.high - self.low);
        from + (to - from) * share.clamp(0.0, 1.0)
    }

    /// Round values to mark.
    fn ticks(&self) -> Vec<f64> {
        let step = tick_step(self.high - self.low, self.scale);
        let first = libm::ceil(self.low / step - 1e-6);
        let last = libm::floor(self.high / step + 1e-6);
        let count = (last - first).clamp(0.0, 50.0) as u32;
        (0..=count)
            .map(|index| (first + f64::from(index)) * step)
            .map(|value| match self.scale {
                Scale::Linear => value,
                Scale::Logarithmic => libm::pow(10.0, value),
            })
            .collect()
    }
}

fn transform(scale: Scale, value: f64) -> f64 {
    match scale {
        Scale::Linear => value,
        Scale::Logarithmic => libm::log10(value.max(f64::MIN_POSITIVE)),
    }
}

/// A round step that divides a range into five to ten parts; whole powers of ten on a logarithmic scale.
fn tick_step(range: f64, scale: Scale) -> f64 {
    if scale == Scale::Logarithmic {
        return libm::ceil(range / 8.0).max(1.0);
    }
    let rough = (range / 7.0).max(f64::MIN_POSITIVE);
    let power = libm::pow(10.0, libm::floor(libm::log10(rough)));
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0];
    let fitting = steps.into_iter().find(|step| step * power >= rough * 0.999);
    fitting.unwrap_or(10.0) * power
}

fn text(page: &mut Markup, x: f64, y: f64, class: &str, words: &str) {
    let place = [number(x), number(y)];
    let [x, y] = &place;
    page.element("text", &[("x", x), ("y", y), ("class", class)], words);
}

fn line(page: &mut Markup, from: [f64; 2], to: [f64; 2], class: &str) {
    let [x1, y1, x2, y2] = [from[0], from[1], to[0], to[1]].map(number);
    let attributes = [("x1", &*x1), ("y1", &y1), ("x2", &x2), ("y2", &y2)];
    let class = [("class", class)];
    page.open("line", &[&attributes[..], &class[..]].concat())
        .close();
}

fn rect(page: &mut Markup, corner: [f64; 2], size: [f64; 2], class: &str) {
    let [x, y, width, height] = [corner[0], corner[1], size[0].max(0.0), size[1]].map(number);
    page.open(
        "rect",
        &[
            ("x", &x),
            ("y", &y),
            ("width", &width),
            ("height", &height),
            ("class", class),
        ],
    )
    .close();
}

fn circle(page: &mut Markup, centre: [f64; 2], radius: f64, class: &str) {
    let [x, y, r] = [centre[0], centre[1], radius].map(number);
    page.open(
        "circle",
        &[("cx", &x), ("cy", &y), ("r", &r), ("class", class)],
    )
    .close();
}

/// Vertical grid lines with labels below.
fn grid(page: &mut Markup, ruler: &Ruler, axis: &Axis, top: f64, bottom: f64) {
    for tick in ruler.ticks() {
        let x = ruler.place(tick);
        line(page, [x, top], [x, bottom], "grid");
        text(
            page,
            x,
            bottom + 22.0,
            "tick middle",
            &axis.unit.format_tick(tick),
        );
    }
    page.line();
}

/// The label of a row, in at most two lines, and its note.
fn row_label(page: &mut Markup, label: &str, note: &str, middle: f64) {
    let mut lines: Vec<(&str, String)> = Vec::new();
    for words in wrap(label, LABEL_CHARS, 2) {
        lines.push(("label", words));
    }
    for words in wrap(note, LABEL_CHARS + 6, 1) {
        lines.push(("note", words));
    }
    let top = middle - (lines.len() as f64 - 1.0) * TEXT_STEP / 2.0 + 5.0;
    for (index, (class, words)) in lines.iter().enumerate() {
        text(page, 0.0, top + index as f64 * TEXT_STEP, class, words);
    }
}

/// Breaks a text at blanks into lines of at most `width` letters; what does not fit into `most` lines ends with an ellipsis.
fn wrap(label: &str, width: usize, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in label.split_whitespace() {
        match lines.last_mut() {
            Some(last) if last.chars().count() + 1 + word.chars().count() <= width => {
                last.push(' ');
                last.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    let is_cut = lines.len() > most;
    lines.truncate(most);
    let count = lines.len();
    for (index, line) in lines.iter_mut().enumerate() {
        let is_last = index + 1 == count;
        if line.chars().count() > width || (is_last && is_cut) {
            *line = line.chars().take(width.saturating_sub(1)).collect();
            line.push('…');
        }
    }
    lines
}

/// A value at the right edge, with whose it is.
fn row_value(page: &mut Markup, role: Role, value: &str, y: f64) {
    let place = [number(WIDTH), number(y + 5.0)];
    let class = format!("value {} end", role.class());
    page.open(
        "text",
        &[("x", &place[0]), ("y", &place[1]), ("class", &class)],
    );
    page.text(role.name());
    let gap = if role.name().is_empty() { "0" } else { "8" };
    page.element("tspan", &[("dx", gap), ("class", "strong")], value);
    page.close();
}

/// The height of a row with so many dots or bars; at least that of its label.
fn row_height(marks: usize) -> f64 {
    (ROW_PADDING + STEP * marks as f64).max(MIN_ROW)
}

fn dots_height(plot: &DotPlot) -> f64 {
    let rows = plot.rows.iter().map(|row| row_height(row.marks.len()));
    rows.sum::<f64>() + FOOT
}

fn draw_dots(page: &mut Markup, plot: &DotPlot) {
    let marks = plot.rows.iter().flat_map(|row| &row.marks);
    let values = marks.flat_map(|mark| {
        let ends = mark.interval.map(|interval| [interval.low, interval.high]);
        std::iter::once(mark.value).chain(ends.into_iter().flatten())
    });
    let ruler = Ruler::new(&plot.axis, values.chain(plot.reference), false, AREA);
    let bottom = dots_height(plot) - FOOT;
    grid(page, &ruler, &plot.axis, 0.0, bottom);
    if let Some(reference) = plot.reference {
        let x = ruler.place(reference);
        line(page, [x, 0.0], [x, bottom], "reference");
    }
    let mut top = 0.0;
    for row in &plot.rows {
        let height = row_height(row.marks.len());
        if top > 0.0 {
            line(page, [0.0, top], [WIDTH, top], "rule");
        }
        row_label(page, &row.label, &row.note, top + height / 2.0);
        let first = top + height / 2.0 - STEP * (row.marks.len().max(1) as f64 - 1.0) / 2.0;
        for (index, mark) in row.marks.iter().enumerate() {
            let y = first + STEP * index as f64;
            let class = mark.role.class();
            if let Some(interval) = mark.interval {
                let (low, high) = (ruler.place(interval.low), ruler.place(interval.high));
                let whisker = format!("whisker {class}");
                line(page, [low, y], [high, y], &whisker);
                for end in [low, high] {
                    line(page, [end, y - 6.0], [end, y + 6.0], &whisker);
                }
            }
            circle(
                page,
                [ruler.place(mark.value), y],
                6.5,
                &format!("dot {class}"),
            );
            row_value(page, mark.role, &plot.axis.unit.format(mark.value), y);
        }
        page.line();
        top += height;
    }
}

fn bars_legend(plot: &BarPlot) -> f64 {
    if plot.parts.len() > 1 { LEGEND } else { 0.0 }
}

fn bars_height(plot: &BarPlot) -> f64 {
    let rows = plot.groups.iter().map(|group| row_height(group.bars.len()));
    bars_legend(plot) + rows.sum::<f64>() + FOOT
}

/// The class of a part of a bar.
fn part_class(palette: Palette, role: Role, part: usize) -> String {
    match palette {
        Palette::Roles => format!("bar {}", role.class()),
        Palette::Sides => {
            let side = ["side-a", "side-equal", "side-b"];
            format!("bar {}", side.get(part).unwrap_or(&"side-equal"))
        }
    }
}

fn draw_bars(page: &mut Markup, plot: &BarPlot) {
    let bars = plot.groups.iter().flat_map(|group| &group.bars);
    let sums = bars.map(|bar| bar.values.iter().filter(|value| value.is_finite()).sum());
    let ruler = Ruler::new(&plot.axis, sums, true, AREA);
    let head = bars_legend(plot);
    let bottom = bars_height(plot) - FOOT;
    if head > 0.0 {
        let mut x = AREA[0];
        for (part, name) in plot.parts.iter().enumerate() {
            rect(
                page,
                [x, 2.0],
                [14.0, 14.0],
                &part_class(plot.palette, Role::Ours, part),
            );
            text(page, x + 22.0, 14.0, "note", name);
            x += 44.0 + 8.0 * name.chars().count() as f64;
        }
    }
    grid(page, &ruler, &plot.axis, head, bottom);
    let mut top = head;
    for group in &plot.groups {
        let height = row_height(group.bars.len());
        if top > head {
            line(page, [0.0, top], [WIDTH, top], "rule");
        }
        row_label(page, &group.label, &group.note, top + height / 2.0);
        for (index, bar) in group.bars.iter().enumerate() {
            let middle = (group.bars.len() as f64 - 1.0) / 2.0;
            let y = top + height / 2.0 + STEP * (index as f64 - middle);
            draw_bar(page, plot, &ruler, bar.role, &bar.values, y);
        }
        page.line();
        top += height;
    }
    line(
        page,
        [ruler.place(0.0), head],
        [ruler.place(0.0), bottom],
        "axis",
    );
}

fn draw_bar(page: &mut Markup, plot: &BarPlot, ruler: &Ruler, role: Role, values: &[f64], y: f64) {
    let mut sum = 0.0;
    for (part, &value) in values
        .iter()
        .enumerate()
        .filter(|(_, value)| value.is_finite())
    {
        let (from, to) = (ruler.place(sum), ruler.place(sum + value));
        sum += value;
        rect(
            page,
            [from.min(to), y - 9.0],
            [(to - from).abs(), 18.0],
            &part_class(plot.palette, role, part),
        );
        let label = plot.axis.unit.format(value);
        // Amounts of parts are written into them, where they fit.
        if values.len() > 1 && (to - from).abs() > 10.0 + 9.0 * label.chars().count() as f64 {
            text(
                page,
                f64::midpoint(from, to),
                y + 5.0,
                "inside middle",
                &label,
            );
        }
    }
    let value = match values {
        [only] => plot.axis.unit.format(*only),
        _ => String::new(),
    };
    row_value(page, role, &value, y);
}

fn draw_lines(page: &mut Markup, plot: &LinePlot) {
    let [left, top, right, bottom] = LINE_AREA;
    let points = || plot.lines.iter().flat_map(|line| &line.points);
    let x = Ruler::new(&plot.x, points().map(|point| point.x), false, [left, right]);
    let values = points().flat_map(|point| {
        let ends = point.interval.map(|interval| [interval.low, interval.high]);
        std::iter::once(point.y).chain(ends.into_iter().flatten())
    });
    let from_zero = plot.y.unit != Unit::Elo;
    let y = Ruler::new(&plot.y, values, from_zero, [bottom, top]);
    for tick in y.ticks() {
        let place = y.place(tick);
        line(page, [left, place], [right, place], "grid");
        text(
            page,
            left - 10.0,
            place + 5.0,
            "tick end",
            &plot.y.unit.format_tick(tick),
        );
    }
    page.line();
    for tick in x.ticks() {
        let label = plot.x.unit.format_tick(tick);
        text(page, x.place(tick), bottom + 22.0, "tick middle", &label);
    }
    line(page, [left, bottom], [right, bottom], "axis");
    text(page, right, bottom + 46.0, "note end", &plot.x.label);
    page.line();
    for each in &plot.lines {
        draw_line(page, each, &x, &y);
    }
    for (index, place) in label_places(&plot.lines, &y).into_iter().enumerate() {
        if let Some(each) = plot.lines.get(index) {
            let class = format!("dot {}", each.role.class());
            circle(page, [right + 20.0, place], 4.5, &class);
            text(page, right + 32.0, place + 5.0, "name", &each.name);
        }
    }
    page.line();
}

fn draw_line(page: &mut Markup, each: &Line, x: &Ruler, y: &Ruler) {
    let class = each.role.class();
    let at = |x_value: f64, y_value: f64| {
        format!("{},{}", number(x.place(x_value)), number(y.place(y_value)))
    };
    let ends = |end: fn(&crate::arena::stats::Interval) -> f64| {
        let points = each.points.iter();
        points
            .filter_map(move |point| Some(at(point.x, end(point.interval.as_ref()?))))
            .collect::<Vec<String>>()
    };
    let mut band = ends(|interval| interval.high);
    band.extend(ends(|interval| interval.low).into_iter().rev());
    if !band.is_empty() {
        let class = format!("band {class}");
        page.open("polygon", &[("points", &band.join(" ")), ("class", &class)])
            .close();
    }
    let points: Vec<String> = each
        .points
        .iter()
        .map(|point| at(point.x, point.y))
        .collect();
    let line_class = format!("line {class}");
    page.open(
        "polyline",
        &[("points", &points.join(" ")), ("class", &line_class)],
    )
    .close();
    for point in &each.points {
        circle(
            page,
            [x.place(point.x), y.place(point.y)],
            4.5,
            &format!("dot {class}"),
        );
    }
    page.line();
}

/// Heights of the names at the right ends of lines: beside the last point, and not over each other.
fn label_places(lines: &[Line], y: &Ruler) -> Vec<f64> {
    let last = |line: &Line| {
        line.points
            .last()
            .map_or(y.pixels[0], |point| y.place(point.y))
    };
    let mut order: Vec<(usize, f64)> = lines.iter().map(last).enumerate().collect();
    order.sort_by(|one, other| one.1.total_cmp(&other.1));
    let mut next = f64::NEG_INFINITY;
    for (_, place) in &mut order {
        *place = place.max(next);
        next = *place + TEXT_STEP;
    }
    // Those pushed below the area move up again.
    let mut limit = y.pixels[0];
    for (_, place) in order.iter_mut().rev() {
        *place = place.min(limit);
        limit = *place - TEXT_STEP;
    }
    let mut places = vec![0.0; lines.len()];
    for (index, place) in order {
        if let Some(slot) = places.get_mut(index) {
            *slot = place;
        }
    }
    places
}
