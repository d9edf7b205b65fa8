// Package stagetest is the harness every stage passes, and the sources, items
// and checks that tests of pipelines share. It is for tests only.
//
// A stage's test describes how to make inputs, how to read an output as rows
// and which rows a full run gives; Run does the rest:
//
//	stagetest.Run(t, stagetest.Config[*batch.Batch, *batch.Batch]{
//		New: func(t testing.TB, c stagetest.Case) stagetest.Subject[*batch.Batch, *batch.Batch] {
//			pool := batch.NewPool(...)
//			return stagetest.Subject[*batch.Batch, *batch.Batch]{
//				Stage:  func() pipeline.Stage[*batch.Batch, *batch.Batch] { return newFilter(...) },
//				Inputs: batches(pool, c), // sizes c.Size, with NULLs and selections as c says
//				Render: rows,
//				Want:   []string{...},
//				Live:   pool.Live,
//			}
//		},
//	})
//
// Each case, one for every batch size of 1, 2, 3 and the maximum with and
// without NULLs and a random selection, runs as actors, fused and pulled, and
// in each of these
//
//	whole            to its end, and its rows are the wanted ones
//	source fault     the source fails instead of its n-th item
//	sink fault       the stage downstream fails at its n-th item
//	sink panic       … panics there
//	stop             … has had enough there, which is success
//	cancel upstream  the context is cancelled while the source makes its n-th item
//	cancel           … while the consumer has its n-th item
//	break            the consumer leaves the loop there
//	lanes            two lanes share one cursor, unordered and ordered
//
// and after each of them: the error is the right one, the rows are a prefix of
// the wanted ones, every item was released exactly once (Live is 0) and no
// goroutine is left.
//
// Use Main as TestMain of packages that run pipelines.
package stagetest
