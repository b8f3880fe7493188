"""Writes values.txt: figures of scipy, statsmodels and numpy that the engine's statistics are compared with.

Run it from this folder, in an environment with `pip install scipy statsmodels`:

    python make.py > values.txt
"""

import math

import numpy
import scipy
import statsmodels
import statsmodels.api
from scipy import stats
from statsmodels.stats import contingency_tables, multitest, power, proportion


def line(name, arguments, values):
    """One case: a name, what goes in, what comes out."""
    print(name, " ".join(f"{value!r}" for value in map(plain, arguments)), "=", " ".join(repr(plain(value)) for value in values))


def plain(value):
    return value if isinstance(value, (int, str)) else float(value)


print("# Written by make.py beside this file, with scipy", scipy.__version__ + ", statsmodels", statsmodels.__version__ + ", numpy", numpy.__version__)

print("# scipy.stats.chi2.sf(x, degrees)")
for degrees in [1, 2, 3, 5, 10, 100, 1000]:
    for x in [0.001, 0.5, 0.9 * degrees, degrees, 1.2 * degrees, 3.841, 20 + 2 * degrees, 500.0]:
        line("chi_squared_tail", [x, degrees], [stats.chi2.sf(x, degrees)])

print("# 2 scipy.stats.t.sf(t, degrees)")
for degrees in [1, 2, 6, 30, 500, 100000]:
    for t in [1e-6, 0.1, 0.122, 1.0, 1.96, 5.0, 30.0]:
        line("student_two_sided", [t, degrees], [2 * stats.t.sf(t, degrees)])

print("# scipy.stats.t.isf(p / 2, degrees)")
for degrees in [1, 2, 6, 30, 500]:
    for p in [0.5, 0.05, 0.001]:
        line("student_quantile", [p, degrees], [stats.t.isf(p / 2, degrees)])

print("# scipy.stats.norm.ppf(p)")
for p in [1e-200, 1e-9, 0.01, 0.025, 0.2, 0.5, 0.8, 0.975, 0.999999]:
    line("normal_quantile", [p], [stats.norm.ppf(p)])

print("# scipy.stats.pearsonr: points x y x y ... = r, p, ends of the 95 % interval. The first two are report 002's H4 by size and by log10 of it.")
sizes = [1e4, 2.5e4, 5e4, 1e5, 2.5e5, 5e5, 1e6, 8e6]
good = [18, 18, 20, 19, 19, 20, 17, 19]
random = numpy.random.default_rng(7)
for xs, ys in [
    (sizes, good),
    ([math.log10(size) for size in sizes], good),
    ([1, 2, 3, 4], [1.0, 2.5, 2.5, 4.5]),
    ([1, 2, 3, 4, 5], [5, 4, 3, 2, 1.5]),
    (random.normal(size=40).round(3), random.normal(size=40).round(3)),
]:
    result = stats.pearsonr(xs, ys)
    interval = result.confidence_interval(0.95)
    line("pearson", [value for point in zip(xs, ys) for value in point], [result.statistic, result.pvalue, interval.low, interval.high])

print("# statsmodels proportion_confint(points, games, method='wilson') of wins, draws, losses")
for wins, draws, losses in [(101, 20, 79), (7, 3, 0), (4, 0, 6), (2, 0, 998), (0, 0, 5), (1, 0, 0), (500, 9000, 500)]:
    games = wins + draws + losses
    line("wilson", [wins, draws, losses], proportion.proportion_confint(wins + draws / 2, games, method="wilson"))

print("# statsmodels mcnemar: wins, losses = chi-squared and p without correction, exact p; rows of reports 001 (sign tests) and 002 (tables 1 and 3)")
for wins, losses in [(5, 3), (4, 6), (7, 0), (91, 89), (106, 58), (108, 68), (98, 78), (91, 83), (87, 85), (86, 85), (0, 1), (1000, 900)]:
    table = [[0, wins], [losses, 0]]
    asymptotic = contingency_tables.mcnemar(table, exact=False, correction=False)
    exact = contingency_tables.mcnemar(table, exact=True)
    line("mcnemar", [wins, losses], [asymptotic.statistic, asymptotic.pvalue, exact.pvalue])

print("# statsmodels multipletests(p, method='holm')")
for p in [[0.01, 0.04, 0.03, 0.005], [0.2], [0.5, 0.5, 0.9], [0.0002207, 0.9406, 0.00317, 0.1519], [1e-300, 0.02, 0.02, 0.02, 0.6, 1.0]]:
    line("holm", p, multitest.multipletests(p, method="holm")[1])

print("# numpy: pairs of 0, 1/2, 1, 3/2, 2 points = score, variance (numpy.var) of the pairs' scores, Elo, its 95 % ends by the normal distribution")
for counts in [(10, 20, 100, 30, 15), (1, 5, 60, 22, 12), (300, 2000, 8000, 2100, 350)]:
    scores = numpy.repeat([0, 0.25, 0.5, 0.75, 1], counts)
    mean, spread = scores.mean(), stats.norm.ppf(0.975) * stats.sem(scores, ddof=0)
    elo = [400 * math.log10(score / (1 - score)) for score in (mean, mean - spread, mean + spread)]
    line("pairs", counts, [mean, scores.var(), *elo])

print("# statsmodels GLM, binomial with logit, one column a player, the sum of strengths 0 by the pseudo-inverse of the information:")
print("# players, then player, player, wins, draws, losses of the first ... = Elo of each, standard error of each. The first is report 001's E1.")
UCT, GROUPING, UCB1, HEURISTIC = range(4)
round_robins = [
    (4, [(HEURISTIC, UCT, 4, 0, 6), (HEURISTIC, UCB1, 2, 0, 8), (HEURISTIC, GROUPING, 3, 1, 6), (UCT, UCB1, 7, 3, 0), (UCT, GROUPING, 5, 2, 3), (UCB1, GROUPING, 2, 1, 7)]),
    (2, [(0, 1, 150, 10, 40)]),
    (5, [(0, 1, 3, 0, 1), (1, 2, 9, 2, 9), (2, 3, 190, 0, 10), (3, 4, 1, 1, 1), (4, 0, 2, 0, 5), (0, 3, 20, 0, 0)]),
]
for players, encounters in round_robins:
    design = numpy.zeros((len(encounters), players))
    results = numpy.zeros((len(encounters), 2))
    for row, (one, other, wins, draws, losses) in enumerate(encounters):
        design[row, one], design[row, other] = 1, -1
        results[row] = wins + draws / 2, losses + draws / 2
    # The last player is the reference; the full information follows from the fitted shares.
    family = statsmodels.api.families.Binomial()
    fit = statsmodels.api.GLM(results, design[:, :-1], family=family).fit(tol=1e-14, maxiter=200)
    strengths = numpy.append(fit.params, 0)
    strengths -= strengths.mean()
    share = 1 / (1 + numpy.exp(-design @ strengths))
    weights = results.sum(axis=1) * share * (1 - share)
    covariance = numpy.linalg.pinv(design.T @ (weights[:, None] * design))
    # The standard error against the reference is the one that statsmodels gives.
    against = covariance[0, 0] + covariance[-1, -1] - 2 * covariance[0, -1]
    assert abs(math.sqrt(against) - fit.bse[0]) < 1e-6 * fit.bse[0]
    elo = 400 / math.log(10)
    line("bradley_terry", [players, *(value for encounter in encounters for value in encounter)], [*(elo * strengths), *(elo * numpy.sqrt(numpy.diag(covariance)))])

print("# statsmodels normal_sample_size_one_tail(effect, 0.8, alpha / 2, deviation, deviation)")
for effect, deviation, alpha in [(0.05, 0.5, 0.05), (0.1, 0.45, 0.05), (0.02, 0.3, 0.0125)]:
    line("trials_needed", [effect, deviation, alpha], [power.normal_sample_size_one_tail(effect, 0.8, alpha / 2, deviation, deviation)])

print("# scipy.stats.t.interval of a sample's mean = mean, ends")
for values in [[2.81, 2.79, 2.802, 2.9, 2.75], [127.81, 119.76], list(random.normal(5, 2, 12).round(4))]:
    line("sample", values, [numpy.mean(values), *stats.t.interval(0.95, len(values) - 1, numpy.mean(values), stats.sem(values))])

print("# numpy.polyfit of log(y) on log(x), slope: points x y x y ...")
for points in [[(1000, 0.0021), (10000, 0.024), (100000, 0.31), (1000000, 4.2)], [(3, 7), (5, 11)], [(2, 8.5), (4, 4.1), (8, 2.2), (16, 0.9)]]:
    xs, ys = zip(*points)
    line("growth_exponent", [value for point in points for value in point], [numpy.polyfit(numpy.log(xs), numpy.log(ys), 1)[0]])
