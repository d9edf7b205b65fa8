package aggregate

import (
	"errors"
	"fmt"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/pgfile"
	"github.com/pipescan/pipescan/qual"
	"github.com/pipescan/pipescan/stages/ordering"
)

// Function is an aggregate function for one type of argument.
type Function struct {
	// Arg, when not 0, is the type that the argument must be cast to first;
	// the function is then to be found for that type.
	Arg catalog.OID
	// Result is the type of the result; 0: that of the argument.
	Result catalog.OID
	// Ordered says that the result depends on the order of adding.
	Ordered bool
	// places says that the accumulator asks where rows come from.
	places bool
	// New makes an accumulator for values of the argument's vector width.
	New func(width int) Accumulator
}

// Call is what is asked for: a function's name, and the type of its argument.
type Call struct {
	Name     string
	Arg      catalog.OID // base type of the argument; 0 with Star
	Text     ordering.Text
	Star     bool
	Distinct bool
	// TypeName is the argument's type for messages.
	TypeName string
}

// Names are the aggregate functions known.
var Names = map[string]bool{"count": true, "sum": true, "avg": true, "min": true, "max": true}

// Find chooses the function. Errors: *qual.SQLError when PostgreSQL has no
// such function either, pgfile.ErrUnsupported when it has.
func Find(c Call, types ordering.Types) (*Function, error) {
	f, err := find(c, types)
	if err != nil || !c.Distinct || f.Arg != 0 {
		return f, err
	}
	return withDistinct(f, c, types)
}

func find(c Call, types ordering.Types) (*Function, error) {
	switch c.Name {
	case "count":
		return &Function{Result: catalog.Int8OID, New: func(int) Accumulator { return &count{} }}, nil
	case "sum", "avg":
		if f := sums(c.Name == "avg", c.Arg, types.Major); f != nil {
			return f, nil
		}
	case "min", "max":
		return extremes(c, types)
	}
	return nil, noFunction(c)
}

// noFunction is PostgreSQL's error for arguments that no candidate takes.
func noFunction(c Call) error {
	return &qual.SQLError{
		Code: "42883", Row: -1,
		Message: fmt.Sprintf("function %s(%s) does not exist", c.Name, c.TypeName),
		Hint:    "No function matches the given name and argument types. You might need to add explicit type casts.",
	}
}

// firstMajorWithInfiniteIntervals and firstMajorWithMoneyChecks are where
// sums changed.
const (
	firstMajorWithInfiniteIntervals = 17
	firstMajorWithMoneyChecks       = 18
)

// sums is sum and avg by type of argument; nil where there is none.
func sums(average bool, arg catalog.OID, major int) *Function {
	switch arg {
	case catalog.Int2OID:
		return sumOf(average, catalog.Int8OID, (*batch.Vector).Int16s, asBigint)
	case catalog.Int4OID:
		return sumOf(average, catalog.Int8OID, (*batch.Vector).Int32s, asBigint)
	case catalog.Int8OID:
		return sumOf(average, catalog.NumericOID, (*batch.Vector).Int64s, asNumeric)
	case catalog.NumericOID:
		return &Function{Result: catalog.NumericOID, New: func(int) Accumulator { return &sumNumeric{average: average} }}
	case catalog.Float4OID:
		if !average {
			return &Function{Result: arg, Ordered: true, New: func(int) Accumulator { return &sumFloat[float32]{values: (*batch.Vector).Float32s} }}
		}
		return &Function{Result: catalog.Float8OID, Ordered: true, New: func(int) Accumulator { return &avgFloat[float32]{values: (*batch.Vector).Float32s} }}
	case catalog.Float8OID:
		if !average {
			return &Function{Result: arg, Ordered: true, New: func(int) Accumulator { return &sumFloat[float64]{values: (*batch.Vector).Float64s} }}
		}
		return &Function{Result: arg, Ordered: true, New: func(int) Accumulator { return &avgFloat[float64]{values: (*batch.Vector).Float64s} }}
	case catalog.IntervalOID:
		// Ordered, because whether a sum overflows depends on the order.
		return &Function{Result: arg, Ordered: true, New: func(int) Accumulator {
			return &sumInterval{average: average, infinities: major >= firstMajorWithInfiniteIntervals}
		}}
	case catalog.TimeOID:
		return &Function{Arg: catalog.IntervalOID}
	case catalog.MoneyOID:
		if average {
			return nil
		}
		checked := major >= firstMajorWithMoneyChecks
		return &Function{Result: arg, Ordered: checked, New: func(int) Accumulator { return &sumMoney{checked: checked} }}
	}
	return nil
}

// sumOf is sum or avg over integers.
func sumOf[T integer](average bool, sumType catalog.OID, values func(*batch.Vector) []T, sum func(*batch.Vector, int128, int64) error) *Function {
	f := &Function{Result: sumType}
	result := sum
	if average {
		f.Result, result = catalog.NumericOID, asAverage
	}
	f.New = func(int) Accumulator { return &sumInt[T]{values: values, result: result} }
	return f
}

// extremes is min and max. The types that have them are fewer than those that
// have an order.
func extremes(c Call, types ordering.Types) (*Function, error) {
	greatest := c.Name == "max"
	switch c.Arg {
	case catalog.Int2OID:
		return extremeOf(greatest, (*batch.Vector).Int16s), nil
	case catalog.Int4OID, catalog.DateOID:
		return extremeOf(greatest, (*batch.Vector).Int32s), nil
	case catalog.Int8OID, catalog.MoneyOID, catalog.TimeOID, catalog.TimestampOID, catalog.TimestamptzOID:
		return extremeOf(greatest, (*batch.Vector).Int64s), nil
	case catalog.OidOID:
		return extremeOf(greatest, (*batch.Vector).Uint32s), nil
	}
	f := &Function{}
	switch c.Arg {
	case catalog.VarcharOID, catalog.NameOID, catalog.CharOID:
		return &Function{Arg: catalog.TextOID}, nil
	case catalog.CidrOID:
		return &Function{Arg: catalog.InetOID}, nil
	case catalog.RegclassOID, catalog.RegtypeOID, catalog.RegprocOID, catalog.RegprocedureOID, catalog.RegoperOID,
		catalog.RegoperatorOID, catalog.RegconfigOID, catalog.RegdictionaryOID, catalog.RegnamespaceOID,
		catalog.RegroleOID, catalog.RegcollationOID:
		return &Function{Arg: catalog.OidOID}, nil
	case catalog.BoolOID, catalog.UUIDOID, catalog.MacaddrOID, catalog.Macaddr8OID, catalog.BitOID, catalog.VarbitOID,
		catalog.JSONBOID, catalog.JSONOID, catalog.XMLOID, catalog.XidOID, catalog.CidOID:
		return nil, noFunction(c)
	case catalog.ByteaOID:
		if types.Major < 18 {
			return nil, noFunction(c)
		}
	case catalog.Xid8OID:
		if types.Major < 15 {
			return nil, noFunction(c)
		}
	}
	o, err := comparer(c, types)
	if err != nil {
		return nil, err
	}
	f.places = true
	f.New = func(int) Accumulator {
		return &extreme{max: greatest, keepsFirst: c.Arg == catalog.BpcharOID, compare: o.Compare}
	}
	return f, nil
}

func extremeOf[T integer | uint32](greatest bool, values func(*batch.Vector) []T) *Function {
	return &Function{New: func(int) Accumulator { return &extremeInt[T]{max: greatest, values: values} }}
}

// comparer is the ordering of the argument, which must have an order.
func comparer(c Call, types ordering.Types) (*ordering.Ordering, error) {
	o, err := ordering.For(c.Arg, c.Text, types)
	var missing *ordering.MissingError
	switch {
	case errors.As(err, &missing):
		return nil, noFunction(c)
	case err != nil:
		return nil, err
	case o.Compare == nil && c.Text.Name != "":
		return nil, fmt.Errorf("%w: the order of text under the collation %s; COLLATE \"C\" orders by bytes", pgfile.ErrUnsupported, c.Text.Name)
	case o.Compare == nil:
		return nil, noFunction(c)
	}
	return o, nil
}

// withDistinct puts distinct before a function.
func withDistinct(f *Function, c Call, types ordering.Types) (*Function, error) {
	o, err := ordering.For(c.Arg, c.Text, types)
	var missing *ordering.MissingError
	if errors.As(err, &missing) || err == nil && o.Compare == nil && c.Text.Name == "" {
		return nil, &qual.SQLError{Code: "42883", Row: -1, Message: "could not identify an ordering operator for type " + c.TypeName, Detail: "Aggregates with DISTINCT must be able to sort their inputs."}
	}
	if err != nil {
		return nil, err
	}
	compare := o.Compare
	if !f.Ordered {
		compare = nil
	}
	g := *f
	g.Ordered, g.places = false, true
	g.New = func(width int) Accumulator { return newDistinct(f.New(width), width, compare, o.Key) }
	return &g, nil
}
