package aggregate

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/qual"
)

// TestDivide compares quotients with exact fractions.
func TestDivide(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for range 5000 {
		n := new(big.Int).Mul(big.NewInt(rnd.Int64()-1<<62), big.NewInt(rnd.Int64N(1<<rnd.IntN(62)+1)))
		scale := 4 * rnd.IntN(6)
		d := decimalOf(n, scale, scale)
		by := rnd.Int64N(1<<rnd.IntN(62)+1) + 1
		q := d.divide(by)
		// |q - n/by| <= half a unit of the last decimal shown
		got, gotScale := q.unscaled()
		want := new(big.Rat).SetFrac(n, new(big.Int).Mul(big.NewInt(by), pow10(scale)))
		diff := new(big.Rat).Sub(want, ratOf(got, gotScale))
		unit := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Mul(big.NewInt(2), pow10(q.dscale)))
		require.LessOrEqual(t, diff.Abs(diff).Cmp(unit), 0, "%v / %d", n, by)
		require.GreaterOrEqual(t, q.dscale, scale)
	}
}

func ratOf(n *big.Int, scale int) *big.Rat {
	if scale < 0 {
		return new(big.Rat).SetInt(new(big.Int).Mul(n, pow10(-scale)))
	}
	return new(big.Rat).SetFrac(n, pow10(scale))
}

// FuzzNumericSum adds hostile payloads.
func FuzzNumericSum(f *testing.F) {
	f.Add([]byte{0, 0x80}, []byte{1, 2, 3})
	f.Add([]byte{0, 0xC0}, []byte{0, 0, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff})
	f.Add([]byte{0x7f, 0x81, 0x0f, 0x27}, []byte{0xff, 0x3f, 0, 0x80, 1, 0})
	f.Fuzz(func(t *testing.T, a, b []byte) {
		for _, average := range []bool{false, true} {
			s := &sumNumeric{average: average}
			s.Grow(1)
			var v batch.Vector
			v.Reset(0)
			if v.AppendVar(a) != nil || v.AppendVar(b) != nil {
				return
			}
			if err := s.Add(&Input{N: 2, Values: &v}); err != nil {
				return
			}
			v.Reset(0)
			if err := s.Append(0, &v); err != nil {
				var sql *qual.SQLError
				require.ErrorAs(t, err, &sql)
			}
		}
	})
}
