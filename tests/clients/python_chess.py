"""Plays and analyses with the engine through python-chess, which takes a protocol at its word."""

import collections
import contextlib
import logging
import random
import time

import chess
import chess.engine

import checks

Limit = chess.engine.Limit


class Dialogue(logging.Handler):
    """Keeps what python-chess sends, receives and complains about."""

    def __init__(self):
        super().__init__(logging.DEBUG)
        self.lines = collections.deque(maxlen=80)
        self.complaints = []

    def emit(self, record):
        text = self.format(record)
        self.lines.append(text)
        if record.levelno >= logging.WARNING:
            self.complaints.append(text)

    def sent(self, word):
        """How many of the lines that are kept begin with `word` and were sent to a program."""
        return sum(f": << {word}" in line for line in self.lines)


DIALOGUE = Dialogue()
chess.engine.LOGGER.setLevel(logging.DEBUG)
chess.engine.LOGGER.addHandler(DIALOGUE)
chess.engine.LOGGER.propagate = False


@contextlib.contextmanager
def started(path, **options):
    """A program that runs inside the block, and is asked to quit after it."""
    engine = chess.engine.SimpleEngine.popen_uci(path, timeout=20)
    try:
        engine.configure(options)
        yield engine
        engine.quit()
        code = engine.protocol.returncode.result()
        assert code == 0, f"{path} ended with {code}"
    finally:
        engine.close()
    assert not DIALOGUE.complaints, DIALOGUE.complaints


def is_over(board):
    """Whether the game is over for an engine, which claims the draws that can be claimed."""
    return board.is_game_over() or board.is_repetition(3) or board.is_fifty_moves()


def agree_on_the_end(engine, board):
    """Demands that the engine finds a finished game finished, and won by the same side."""
    # A game of its own, so that a search of the last position cannot help.
    result = engine.play(board, Limit(time=0.05), game=object(), info=chess.engine.INFO_SCORE)
    assert result.move is None, f"{board.fen()} is over, but {result.move} is played"
    score = result.info["score"].relative
    wanted = chess.engine.Mate(0) if board.is_checkmate() else chess.engine.Cp(0)
    assert score == wanted, f"{board.fen()} is scored {score}"


def play(board, players, limits, plies):
    """Plays until the game is over, or for so many plies. python-chess refuses moves that are not legal."""
    game = object()
    while not is_over(board) and board.ply() < plies:
        player, limit = players[board.turn], limits[board.turn]
        result = player.play(board, limit, game=game, info=chess.engine.INFO_ALL)
        assert result.move in board.legal_moves, f"{result.move} in {board.fen()}"
        assert "score" in result.info, "no score was told"
        board.push(result.move)


def games_against_stockfish(path, stockfish):
    ends = []
    with started(path) as engine, started(stockfish) as opponent:
        for colour in chess.COLORS:
            board = chess.Board()
            players = {colour: engine, not colour: opponent}
            play(board, players, {colour: Limit(time=0.02), not colour: Limit(depth=2)}, 120)
            if is_over(board):
                agree_on_the_end(engine, board)
            ends.append(f"{board.result(claim_draw=True)} after {board.ply()} plies")
    return ", ".join(ends)


def the_end_of_games(path, _):
    mate = chess.Board()
    for move in ("f2f3", "e7e5", "g2g4", "d8h4"):
        mate.push_uci(move)
    repeated = chess.Board()
    for move in ("g1f3", "g8f6", "f3g1", "f6g8") * 2:
        repeated.push_uci(move)
    boards = [
        mate,
        repeated,
        chess.Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"),
        chess.Board("8/8/4k3/8/8/3NK3/8/8 w - - 0 1"),
        chess.Board("8/8/4k3/8/8/3QK3/8/8 w - - 100 90"),
    ]
    with started(path) as engine:
        for board in boards:
            assert is_over(board)
            agree_on_the_end(engine, board)
    return f"{len(boards)} agreed on"


def three_lines(path, _):
    positions = [
        chess.STARTING_FEN,
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        # Two moves are legal, and one.
        "k7/8/8/8/8/8/r7/4K3 w - - 0 1",
        "7k/8/8/8/8/8/1q6/K7 w - - 0 1",
        # White mates in one.
        "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
    ]
    # Lines stand in the order in which moves would be chosen, which is that of their scores if the mean decides.
    with started(path, FinalChoice="mean") as engine:
        for fen in positions:
            board = chess.Board(fen)
            nodes = 1500
            with engine.analysis(board, Limit(nodes=nodes), multipv=3, game=object()) as analysis:
                best = analysis.wait()
                lines = analysis.multipv
            count = min(3, board.legal_moves.count())
            assert len(lines) == count, f"{len(lines)} lines in {fen}"
            assert [line["multipv"] for line in lines] == list(range(1, count + 1))
            assert lines[0]["pv"][0] == best.move, "the first line is not the best move's"
            assert len({line["pv"][0] for line in lines}) == count, "a move has two lines"
            scores = [line["score"].relative for line in lines]
            assert scores == sorted(scores, reverse=True), f"{scores} in {fen}"
            for line in lines:
                assert line["nodes"] >= nodes, line
                after = board.copy()
                for move in line["pv"]:
                    assert not is_over(after), f"{line['pv']} goes on after the end"
                    assert move in after.legal_moves, f"{move} in {after.fen()}"
                    after.push(move)
    return f"{len(positions)} positions"


def lines_in_order(path, _):
    """A search that looks at every move alike tells its lines from the best score to the worst."""
    board = chess.Board("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
    with started(path, Search="minimax", Depth="2") as engine:
        infos = engine.analyse(board, Limit(depth=2), multipv=3)
    scores = [info["score"].relative for info in infos]
    assert len(scores) == 3 and scores == sorted(scores, reverse=True), scores
    return ", ".join(map(str, scores))


def pondering(path, _):
    rng = random.Random(1)
    hits = misses = 0
    with started(path) as engine:
        # A game that ends soon is followed by another.
        for number in range(8):
            if number >= 2 and hits >= 4 and misses >= 4:
                break
            clocks = number % 2 == 1
            board, game = chess.Board(), object()
            left = 6.0
            for turn in range(10):
                limit = Limit(white_clock=left, black_clock=left) if clocks else Limit(time=0.03)
                begun = time.monotonic()
                result = engine.play(board, limit, ponder=True, game=game)
                used = time.monotonic() - begun
                left -= used
                assert used < 2, f"a move took {used:.1f} s"
                assert result.move in board.legal_moves
                board.push(result.move)
                if is_over(board):
                    break
                # The opponent thinks a little, and then does what was expected of it, or something else if it can.
                time.sleep(0.02)
                others = [move for move in board.legal_moves if move != result.ponder]
                if result.ponder and (turn % 2 == 0 or not others):
                    assert result.ponder in board.legal_moves
                    board.push(result.ponder)
                else:
                    board.push(rng.choice(others))
                if is_over(board):
                    break
                hits += DIALOGUE.sent("ponderhit")
                misses += DIALOGUE.sent("stop")
                DIALOGUE.lines.clear()
        # The end of the block says quit while the engine ponders.
    assert hits >= 4 and misses >= 4, f"{hits} ponder hits, {misses} misses"
    return f"{hits} hits, {misses} misses"


def stop_at_once(path, _):
    board = chess.Board()
    times = 100
    with started(path) as engine:
        for turn in range(times):
            with engine.analysis(board, multipv=1 + turn % 2) as analysis:
                analysis.stop()
                best = analysis.wait()
            assert best.move in board.legal_moves
            if turn % 10 == 0:
                board.push(best.move)
        # Nothing is left over that would end the next search early.
        info = engine.analyse(board, Limit(nodes=700))
        assert info["nodes"] >= 700, info
    return f"{times} times"


def quit_while_searching(path, _):
    slowest = 0.0
    for threads in (1, 2):
        with started(path, Threads=threads) as engine:
            engine.analysis(chess.Board()).get()
            begun = time.monotonic()
            # The end of the block says quit, and wants an exit code of 0.
        slowest = max(slowest, time.monotonic() - begun)
    assert slowest < 0.5, f"it took {slowest:.2f} s"
    return f"in {1000 * slowest:.0f} ms at most"


def searches_and_options(path, _):
    mate = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 2 3")
    board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/8/PPPP1PPP/RNBQK1NR w KQkq - 2 3")
    searches = ["uct", "ucb1-tuned", "lgr2", "transposition", "random", "greedy", "alpha-beta", "deepening"]
    with started(path) as engine:
        for search in searches:
            engine.configure({"Search": search})
            result = engine.play(mate, Limit(nodes=500, depth=2), info=chess.engine.INFO_ALL)
            assert result.move == chess.Move.from_uci("f3f7") or search == "random", f"{search}: {result.move}"
        told = {}
        for exploration in ("0.01", "5"):
            engine.configure({"Search": "uct", "Exploration": exploration, "UCI_ShowWDL": True, "Clear Hash": None})
            with engine.analysis(board, Limit(nodes=3000), game=object()) as analysis:
                analysis.wait()
                told[exploration] = analysis.info
            assert sum(told[exploration]["wdl"].relative) == 1000
        # A search that looks more widely sees less far.
        assert len(told["0.01"]["pv"]) > len(told["5"]["pv"]), told
        engine.configure({"Threads": 2, "Hash": 16, "Exploration": "auto"})
        info = engine.analyse(board, Limit(nodes=3000))
        assert info["nodes"] >= 3000
    return f"{len(searches)} searches"


def chess960(path, stockfish):
    castled = 0
    with started(path) as engine, started(stockfish) as opponent:
        for number in (0, 518, 959):
            # Whole games with every rook and king where it began.
            board = chess.Board.from_chess960_pos(number)
            play(
                board,
                {chess.WHITE: engine, chess.BLACK: opponent},
                {chess.WHITE: Limit(time=0.01), chess.BLACK: Limit(depth=1)},
                40,
            )
        for fen in (
            "4k3/8/8/8/8/8/8/R5KR w HA - 0 1",
            "4k3/8/8/8/8/8/8/1RK3R1 w GB - 0 1",
            "r3k2r/8/8/8/8/8/8/R3K2R b HAha - 0 1",
        ):
            board = chess.Board(fen, chess960=True)
            for move in filter(board.is_castling, list(board.legal_moves)):
                after, game = board.copy(), object()
                result = engine.play(after, Limit(nodes=50), game=game, root_moves=[move])
                assert result.move == move, f"{result.move} for {move} in {fen}"
                after.push(move)
                # The engine knows the position in which the king and the rook have castled.
                for _ in range(2):
                    result = engine.play(after, Limit(nodes=50), game=game)
                    assert result.move in after.legal_moves
                    after.push(result.move)
                castled += 1
        # And back to the usual notation.
        board = chess.Board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
        for move in map(chess.Move.from_uci, ("e1g1", "e1c1")):
            result = engine.play(board, Limit(nodes=50), root_moves=[move])
            assert result.move == move, f"{result.move} for {move}"
    assert castled == 6, castled
    return f"castled {castled} times"


def clocks(path, _):
    """Two engines play thirty moves each with a second a game and a hundredth a move.

    Machines that run tests are busy: the engines are told that a move may lose a tenth of a second on its way.
    """
    increment = 0.01
    left = {chess.WHITE: 1.0, chess.BLACK: 1.0}
    least = 1.0
    board, game = chess.Board(), object()
    with started(path, MoveOverhead=100) as white, started(path, MoveOverhead=100) as black:
        while not is_over(board) and board.ply() < 60:
            limit = Limit(
                white_clock=left[chess.WHITE],
                black_clock=left[chess.BLACK],
                white_inc=increment,
                black_inc=increment,
            )
            begun = time.monotonic()
            result = (white if board.turn else black).play(board, limit, game=game)
            left[board.turn] -= time.monotonic() - begun
            least = min(least, left[board.turn])
            assert least > 0, f"time is up at ply {board.ply()}"
            left[board.turn] += increment
            board.push(result.move)
    return f"{board.ply()} plies, {1000 * least:.0f} ms left at least"


checks.run(
    [
        games_against_stockfish,
        the_end_of_games,
        three_lines,
        lines_in_order,
        pondering,
        stop_at_once,
        quit_while_searching,
        searches_and_options,
        chess960,
        clocks,
    ],
    lambda: DIALOGUE.lines,
)
