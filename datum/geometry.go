package datum

import (
	"encoding/binary"
	"math"

	"github.com/pipescan/pipescan/pgfile"
)

// Geometric types (utils/geo_decls.h) are made of float8 coordinates:
//
//	point    x y                          (x,y)
//	line     A B C                        {A,B,C}
//	lseg     x1 y1 x2 y2                  [(x1,y1),(x2,y2)]
//	box      high corner, low corner      (x1,y1),(x2,y2)
//	circle   center, radius               <(x,y),r>
//	path     npts closed unused points    ((x,y),...) closed, [(x,y),...] open
//	polygon  npts box points              ((x,y),...)
//
// The counts are 32 bits wide.

const (
	pointSize     = 16
	pathHeader    = 12
	polygonHeader = 4 + 2*pointSize
)

// float returns the i-th float8 of v.
func float(v []byte, i int) float64 {
	return math.Float64frombits(binary.LittleEndian.Uint64(v[8*i:]))
}

// point returns the i-th point of v.
func point(v []byte, i int) Point { return Point{float(v, 2*i), float(v, 2*i+1)} }

// appendPoint appends the i-th point of v.
func appendPoint(dst, v []byte, i int) []byte {
	dst = appendFloat8(append(dst, '('), float(v, 2*i))
	dst = appendFloat8(append(dst, ','), float(v, 2*i+1))
	return append(dst, ')')
}

// appendPoints appends n points with commas between.
func appendPoints(dst, v []byte, n int) []byte {
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendPoint(dst, v, i)
	}
	return dst
}

// points returns n points.
func points(v []byte, n int) []Point {
	p := make([]Point, n)
	for i := range p {
		p[i] = point(v, i)
	}
	return p
}

func textPoint(dst, v []byte, _ *Env) ([]byte, error) {
	if len(v) != 16 {
		return dst, wrongLength("point", 16, v)
	}
	return appendPoint(dst, v, 0), nil
}

func valuePoint(v []byte, _ *Env) (any, error) {
	if len(v) != 16 {
		return nil, wrongLength("point", 16, v)
	}
	return point(v, 0), nil
}

func textLine(dst, v []byte, _ *Env) ([]byte, error) {
	if len(v) != 24 {
		return dst, wrongLength("line", 24, v)
	}
	dst = appendFloat8(append(dst, '{'), float(v, 0))
	dst = appendFloat8(append(dst, ','), float(v, 1))
	dst = appendFloat8(append(dst, ','), float(v, 2))
	return append(dst, '}'), nil
}

func valueLine(v []byte, _ *Env) (any, error) {
	if len(v) != 24 {
		return nil, wrongLength("line", 24, v)
	}
	return Line{float(v, 0), float(v, 1), float(v, 2)}, nil
}

func textLseg(dst, v []byte, _ *Env) ([]byte, error) {
	if len(v) != 32 {
		return dst, wrongLength("lseg", 32, v)
	}
	return append(appendPoints(append(dst, '['), v, 2), ']'), nil
}

func valueLseg(v []byte, _ *Env) (any, error) {
	if len(v) != 32 {
		return nil, wrongLength("lseg", 32, v)
	}
	return LineSegment{point(v, 0), point(v, 1)}, nil
}

func textBox(dst, v []byte, _ *Env) ([]byte, error) {
	if len(v) != 32 {
		return dst, wrongLength("box", 32, v)
	}
	return appendPoints(dst, v, 2), nil
}

func valueBox(v []byte, _ *Env) (any, error) {
	if len(v) != 32 {
		return nil, wrongLength("box", 32, v)
	}
	return Box{point(v, 0), point(v, 1)}, nil
}

func textCircle(dst, v []byte, _ *Env) ([]byte, error) {
	if len(v) != 24 {
		return dst, wrongLength("circle", 24, v)
	}
	dst = appendPoint(append(dst, '<'), v, 0)
	dst = appendFloat8(append(dst, ','), float(v, 2))
	return append(dst, '>'), nil
}

func valueCircle(v []byte, _ *Env) (any, error) {
	if len(v) != 24 {
		return nil, wrongLength("circle", 24, v)
	}
	return Circle{point(v, 0), float(v, 2)}, nil
}

// pointList checks the count in front of a path's or polygon's points and
// returns it with the points' bytes.
func pointList(typ string, v []byte, header int) (n int, list []byte, err error) {
	if len(v) < header {
		return 0, nil, pgfile.Corruptf(-1, "a %s has %d bytes, too few for its header", typ, len(v))
	}
	n, list = int(int32(binary.LittleEndian.Uint32(v))), v[header:]
	if n < 0 || n > len(list)/pointSize || n*pointSize != len(list) {
		return 0, nil, pgfile.Corruptf(-1, "a %s of %d points has %d bytes of them", typ, n, len(list))
	}
	return n, list, nil
}

// decodePath reads a path; closed is any number but zero.
func decodePath(v []byte) (n int, list []byte, closed bool, err error) {
	n, list, err = pointList("path", v, pathHeader)
	return n, list, err == nil && binary.LittleEndian.Uint32(v[4:]) != 0, err
}

func textPath(dst, v []byte, _ *Env) ([]byte, error) {
	n, list, closed, err := decodePath(v)
	if err != nil {
		return dst, err
	}
	if closed {
		return append(appendPoints(append(dst, '('), list, n), ')'), nil
	}
	return append(appendPoints(append(dst, '['), list, n), ']'), nil
}

func valuePath(v []byte, _ *Env) (any, error) {
	n, list, closed, err := decodePath(v)
	if err != nil {
		return nil, err
	}
	return Path{closed, points(list, n)}, nil
}

func textPolygon(dst, v []byte, _ *Env) ([]byte, error) {
	n, list, err := pointList("polygon", v, polygonHeader)
	if err != nil {
		return dst, err
	}
	return append(appendPoints(append(dst, '('), list, n), ')'), nil
}

func valuePolygon(v []byte, _ *Env) (any, error) {
	n, list, err := pointList("polygon", v, polygonHeader)
	if err != nil {
		return nil, err
	}
	return Polygon(points(list, n)), nil
}
