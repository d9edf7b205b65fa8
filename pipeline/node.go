package pipeline

import (
	"context"
	"errors"
	"io"
)

// feed is a source as the first position of a lane.
type feed[T Item] struct {
	seg  *segment
	src  Source[T]
	emit Emit[T]
}

// pull takes one item from the source and pushes it through the segment.
func (f *feed[T]) pull() error {
	s := f.seg
	if s.inCtx.Err() != nil {
		return f.ended(context.Cause(s.inCtx))
	}
	s.enter(0)
	item, err := f.src.Next(s.inCtx)
	if err != nil {
		return f.ended(err)
	}
	if s.w.counters != nil {
		s.w.counters[0].sent(item)
	}
	if s.w.o.Ordered {
		if err := s.begin(item); err != nil {
			item.Release()
			return err
		}
	}
	if err := f.emit(item); err != nil {
		return err // whoever made it has told the segment
	}
	if s.w.window != nil && s.out != nil {
		return s.out.mark(s.seq)
	}
	return nil
}

// ended sorts the ends of a source. One that fails because it was told to
// stop has simply ended.
func (f *feed[T]) ended(err error) error {
	if err == io.EOF || errors.Is(err, ErrStop) {
		return io.EOF
	}
	if f.seg.inCtx.Err() != nil {
		cause := context.Cause(f.seg.inCtx)
		if f.seg.w.isStop(cause) {
			return io.EOF
		}
		return f.seg.severed(cause)
	}
	return err
}

// node is a stage at its position in a segment.
type node[In, Out Item] struct {
	seg  *segment
	at   int
	st   Stage[In, Out]
	next Emit[Out]
	emit Emit[Out]
	c    *counter
}

// attach gives the node its position; upstream nodes were attached before.
func (n *node[In, Out]) attach(s *segment, name string) {
	s.nodes = append(s.nodes, n)
	s.names = append(s.names, name)
	n.seg, n.at = s, len(s.nodes)
	n.emit = n.send
}

// count sets the counter of the stage.
func (n *node[In, Out]) count(c *counter) { n.c = c }

// push runs the stage on one item.
func (n *node[In, Out]) push(in In) error {
	s := n.seg
	if s.stopped >= n.at || s.fail != nil {
		in.Release()
		return s.verdict()
	}
	prev := s.enter(n.at)
	if n.c != nil {
		n.c.got(in)
	}
	err := n.st.Process(s.ctx, in, n.emit)
	s.enter(prev)
	return n.verdict(err)
}

// send is the Emit the stage is given.
func (n *node[In, Out]) send(out Out) error {
	if n.c != nil {
		n.c.sent(out)
	}
	return n.next(out)
}

// flush ends the stage's input.
func (n *node[In, Out]) flush() error {
	s := n.seg
	prev := s.enter(n.at)
	err := n.st.Flush(s.ctx, n.emit)
	s.enter(prev)
	return n.verdict(err)
}

// verdict also catches a stage that ignored what its emit returned.
func (n *node[In, Out]) verdict(err error) error {
	s := n.seg
	if err != nil {
		return s.judge(n.at, err)
	}
	if s.fail != nil || s.stopped >= n.at {
		return s.verdict()
	}
	return nil
}
