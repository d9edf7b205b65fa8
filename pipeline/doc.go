// Package pipeline runs scans. It answers one question: who runs, who waits,
// who stops? It knows nothing of PostgreSQL.
//
// A scan is a chain: a source that makes items, stages that turn items into
// others, a consumer. An item is a batch (32 pages, or the rows in them), never
// a row. The chain is described once a lane and run in one of three ways:
//
//	lane := pipeline.From("reader", reader)
//	rows := pipeline.Then(pipeline.Then(lane, "extract", extractor), "filter", filter)
//	for batch, err := range pipeline.Run(ctx, pipeline.Options{}, []*pipeline.Chain[*Batch]{rows}) {
//		…
//	}
//
// # Goroutines, links and lanes
//
// Boxes are goroutines, ═ is a link (a bounded channel), → is a function call,
// C the cursor from which all lanes claim their next piece of work.
//
//	Fused, two lanes (the default)         moves no pages between cores
//
//	   ┌ lane 0 ─────────────────────┐
//	 C─┤ source → stage 1 → stage 2  ╞══╗   ┌ caller ─┐
//	 │ └─────────────────────────────┘  ╠═══╡ the loop│
//	 │ ┌ lane 1 ─────────────────────┐  ║   └─────────┘
//	 └─┤ source → stage 1 → stage 2  ╞══╝
//	   └─────────────────────────────┘
//
//	Actors, one lane                       right when a stage blocks or is slow
//
//	   ┌────────┐   ┌─────────┐   ┌─────────┐   ┌ caller ─┐
//	 C─┤ source ╞═══╡ stage 1 ╞═══╡ stage 2 ╞═══╡ the loop│
//	   └────────┘   └─────────┘   └─────────┘   └─────────┘
//
//	Pulled                                 no goroutine, channel or pool
//
//	   ┌ caller ────────────────────────────────┐
//	 C─┤ source → stage 1 → stage 2 → the loop  │
//	   └────────────────────────────────────────┘
//
// In code each box is a segment: a feed (the source or a link) and the stages
// that call one another behind it. A topology only says where a lane is cut
// into segments. Unordered lanes share one link to the consumer. Ordered ones
// have a link each, from which the consumer takes ticket by ticket (see
// Window). Fold has no link: each lane folds its own partial result, and the
// partials are merged after the lanes.
//
// # The contract: nine laws
//
//  1. A stage is plain code over one item at a time, with state of its own and
//     no goroutine, built once a lane. This package decides where it runs, so
//     the same stage is right in all topologies, and Fuse makes one of two.
//
//  2. Emitting gives an item away, whatever emit returns. Whoever holds an item
//     releases it or emits it: each item is released exactly once. A stage that
//     keeps looking at an item it gave away reads somebody else's rows; test
//     builds poison released buffers to show it.
//
//  3. When a segment ends, it first records the cause, then drains its input,
//     then closes its output. Were the output closed first, a failed scan would
//     look complete for a moment; were the input drained before upstream is
//     cancelled, a failed scan would read the rest of the table.
//
//  4. Every send also watches the context. A panic of a stage becomes a
//     *PanicError with the stage's name and stack; the item it had in hand is
//     left to the garbage collector, because nobody knows who else holds it.
//
//  5. The result is a range-over-func iterator. Leaving the loop, by break,
//     return, panic or runtime.Goexit, cancels and joins everything before the
//     loop is left. There is no Close to forget and no goroutine outlives it.
//
//  6. Only this package starts goroutines. Who needs one elsewhere asks Group,
//     who needs a blocking read asks ReadPool. Tests check that none is left.
//
//  7. Explaining is an optional interface of a stage (Explainer). Counting is
//     done around stages, not in them, and only when Options.Stats asks for it.
//
//  8. Every stage passes the harness of internal/stagetest: small, odd and great
//     batches, NULLs, selections; faults, panics, stops, cancellations and
//     breaks at the n-th item; in all topologies.
//
//  9. Pull mode needs nothing that runs by itself. A scan that finds the worker
//     budget spent, a point lookup and a small LIMIT use it.
//
// # How a run ends
//
// The source returns io.EOF: stages are flushed in order, source side first,
// and the links close. A stage returns ErrStop: what feeds it is stopped and
// not flushed, what it feeds is flushed, the sources of the other lanes end as
// at io.EOF, and the run succeeds; an ordered run first delivers everything up
// to the ticket in which the stop fell. A stage fails or panics: the run is
// cancelled with that as the cause; the first error is the one the consumer
// sees, once and last. The caller's context ends: its cause is the error.
// Sources and stages with a Close are then closed, whatever the end was.
//
// # Cost
//
// The steady state allocates nothing an item. A link costs some hundreds of
// nanoseconds an item, which is nothing beside the work on 256 KB and ruin
// beside the work on a row.
//
// # Reading the source
//
// contract.go has the interfaces, chain.go the description of a lane,
// segment.go and node.go the machine that advances it, link.go what is between
// segments, runner.go the goroutines and their last acts, run.go and merge.go
// the consumer's side. window.go numbers the tickets of ordered runs; fold.go,
// puller.go and pulled.go are the other ways to run a lane; budget.go and
// readpool.go wrap the worker pools.
package pipeline
