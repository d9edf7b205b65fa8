package stages

import (
	"context"

	"github.com/pipescan/pipescan/pipeline"
)

// run is a piece of the scan: n positions from pos on, read as one item.
type run struct {
	seq    uint64
	pos, n uint32
}

// claimer gives a lane its runs. With wait, ok false is the end; without, it
// means only that none is to be had now.
type claimer interface {
	claim(ctx context.Context, wait bool) (r run, ok bool, err error)
}

// serialClaimer is the claimer of a scan with one lane.
type serialClaimer struct {
	total, batch uint32
	backward     bool
	done         uint32
	seq          uint64
}

func (c *serialClaimer) claim(context.Context, bool) (run, bool, error) {
	if c.done >= c.total {
		return run{}, false, nil
	}
	r := run{seq: c.seq, pos: c.done, n: min(c.batch, c.total-c.done)}
	c.done += r.n
	c.seq++
	return r.turned(c.total, c.backward), true, nil
}

// turned mirrors a run that was counted from the scan's beginning when the
// scan runs backward.
func (r run) turned(total uint32, backward bool) run {
	if backward {
		r.pos = total - r.pos - r.n
	}
	return r
}

// windowClaimer is the claimer of one lane of an ordered scan: a run is the
// ticket's number times the batch size. A ticket past the end is not given
// back: the lane ends with it.
type windowClaimer struct {
	window       *pipeline.Window
	total, batch uint32
	backward     bool
	over         bool
}

func (c *windowClaimer) claim(ctx context.Context, wait bool) (run, bool, error) {
	if c.over {
		return run{}, false, nil
	}
	var seq uint64
	if wait {
		var err error
		if seq, err = c.window.Claim(ctx); err != nil {
			return run{}, false, err
		}
	} else {
		var ok bool
		if seq, ok = c.window.TryClaim(); !ok {
			return run{}, false, nil
		}
	}
	pos := seq * uint64(c.batch)
	if pos >= uint64(c.total) {
		c.over = true
		return run{}, false, nil
	}
	r := run{seq: seq, pos: uint32(pos), n: min(c.batch, c.total-uint32(pos))}
	return r.turned(c.total, c.backward), true, nil
}
