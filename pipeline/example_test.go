package pipeline_test

import (
	"context"
	"fmt"
	"io"

	"github.com/pipescan/pipescan/pipeline"
)

// numbers is an item: a batch of numbers with its place in the scan.
type numbers struct {
	seq    uint64
	values []int
}

// Release would give the buffer back to its pool.
func (n *numbers) Release() {}

// Sequence is the ticket that the source claimed.
func (n *numbers) Sequence() uint64 { return n.seq }

// counting is the source of one lane: ticket k stands for 3k, 3k+1, 3k+2.
type counting struct{ window *pipeline.Window }

func (c counting) Next(ctx context.Context) (*numbers, error) {
	seq, err := c.window.Claim(ctx)
	if err != nil {
		return nil, err
	}
	if seq >= 4 {
		return nil, io.EOF
	}
	first := int(3 * seq)
	return &numbers{seq, []int{first, first + 1, first + 2}}, nil
}

// odd is a filter.
type odd struct{}

func (odd) Process(_ context.Context, in *numbers, emit pipeline.Emit[*numbers]) error {
	kept := in.values[:0]
	for _, v := range in.values {
		if v%2 == 1 {
			kept = append(kept, v)
		}
	}
	in.values = kept
	return emit(in)
}

func (odd) Flush(context.Context, pipeline.Emit[*numbers]) error { return nil }

// Two lanes share the window from which they claim; their outputs are merged
// by ticket.
func Example() {
	window := pipeline.NewWindow(4)
	var lanes []*pipeline.Chain[*numbers]
	for range 2 {
		source := pipeline.From("counting", pipeline.Source[*numbers](counting{window}))
		lanes = append(lanes, pipeline.Then(source, "odd", pipeline.Stage[*numbers, *numbers](odd{})))
	}
	o := pipeline.Options{Ordered: true, Window: window}
	for batch, err := range pipeline.Run(context.Background(), o, lanes) {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(batch.values)
	}
	// Output:
	// [1]
	// [3 5]
	// [7]
	// [9 11]
}

// Fold sums in each lane and adds the sums.
func ExampleFold() {
	window := pipeline.NewWindow(0)
	var lanes []*pipeline.Chain[*numbers]
	for range 2 {
		lanes = append(lanes, pipeline.From("counting", pipeline.Source[*numbers](counting{window})))
	}
	sum, err := pipeline.Fold(context.Background(), pipeline.Options{}, lanes,
		func(int) *int { return new(int) },
		func(sum *int, batch *numbers) error {
			for _, v := range batch.values {
				*sum += v
			}
			return nil
		},
		func(into, from *int) error { *into += *from; return nil })
	fmt.Println(*sum, err)
	// Output: 66 <nil>
}
