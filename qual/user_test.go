package qual

import (
	"encoding/binary"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pipescan/pipescan/batch"
	"github.com/pipescan/pipescan/catalog"
	"github.com/pipescan/pipescan/datum"
	"github.com/pipescan/pipescan/internal/pgtest"
	"github.com/pipescan/pipescan/pgfile"
)

// userTypes adds an enum, a domain over int4 and an extension's type to the
// built-in ones.
type userTypes struct {
	builtins
	types map[catalog.OID]*catalog.Type
}

func (u userTypes) Type(oid catalog.OID) (*catalog.Type, bool, error) {
	if t, ok := u.types[oid]; ok {
		return t, true, nil
	}
	return u.builtins.Type(oid)
}

func (u userTypes) EnumLabel(oid catalog.OID) (string, bool, error) {
	label, ok := map[catalog.OID]string{31: "sad", 32: "happy", 33: "ok"}[oid]
	return label, ok, nil
}

func (u userTypes) TypeVisible(catalog.OID) (bool, error) { return true, nil }

const moodOID, scoreOID, foreignOID = 20000, 20001, 20002

// userScope has the columns m mood ('sad', 'ok', 'happy', ordered otherwise
// than their OIDs), d score and x foreign.
func userScope() (*Scope, *batch.Batch) {
	env := &datum.Env{Major: 16, Encoding: catalog.UTF8}
	s := &Scope{Env: env}
	env.Lookup = userTypes{builtins{builtinLookup{newAnalyzer(s)}}, map[catalog.OID]*catalog.Type{
		moodOID:    {OID: moodOID, Name: "mood", Len: 4, ByVal: true, Kind: 'e', Category: 'E', Align: 'i', Namespace: 2200},
		scoreOID:   {OID: scoreOID, Name: "score", Len: 4, ByVal: true, Kind: 'd', Category: 'N', Align: 'i', BaseType: catalog.Int4OID, Namespace: 2200},
		foreignOID: {OID: foreignOID, Name: "foreign", Len: -1, Kind: 'b', Category: 'S', Align: 'i', Namespace: 2200},
	}}
	s.EnumLabels = func(catalog.OID) ([]catalog.EnumLabel, error) {
		return []catalog.EnumLabel{{OID: 31, Order: 1, Label: "sad"}, {OID: 33, Order: 1.5, Label: "ok"}, {OID: 32, Order: 2, Label: "happy"}}, nil
	}
	s.Columns = []Column{
		{Name: "m", Index: 0, Type: moodOID, Typmod: -1},
		{Name: "d", Index: 1, Type: scoreOID, Typmod: -1},
		{Name: "x", Index: 2, Type: foreignOID, Typmod: -1},
	}
	b := batch.NewPool(1).Get()
	b.SetWidths([]int{4, 4, 0})
	for i, label := range []uint32{31, 32, 33} {
		b.Cols[0].AppendUint32(label)
		b.Cols[1].AppendUint32(uint32(10 * i))
		b.Cols[2].AppendNull()
	}
	b.N, b.Decoded = 3, true
	return s, b
}

// TestUserTypes: enums by their order, domains as their base, others refused.
func TestUserTypes(t *testing.T) {
	s, b := userScope()
	filter := func(e Expr) []int32 {
		b.HasSel = false
		f, err := BindCondition(e, s)
		require.NoError(t, err, e.String())
		require.NoError(t, f.Filter(b), e.String())
		return append([]int32{}, b.Sel...)
	}
	require.Equal(t, []int32{1}, filter(Col("m").Gt("ok")))
	require.Equal(t, []int32{0, 2}, filter(Col("m").In("sad", "ok")))
	require.Equal(t, []int32{2}, filter(Col("m").Cast("text").Eq("ok").Or(Col("m").IsNull())))
	require.Equal(t, []int32{1, 2}, filter(Col("d").Ge(10)))
	require.Equal(t, []int32{2}, filter(Col("d").Add(1).Gt(Number("11.5"))))
	s.Params = []Expr{Lit(10), Unknown("happy")}
	require.Equal(t, []int32{1}, filter(Col("d").Eq(Param(1)).And(Col("m").Eq(Param(2)))))
	_, err := Bind(Col("m").Eq("glad"), s)
	require.Equal(t, "22P02", sqlState(t, err))
	_, err = Bind(Col("x").Eq("a"), s)
	require.ErrorIs(t, err, pgfile.ErrUnsupported)
	require.Contains(t, err.Error(), "foreign")
	_, err = Bind(Col("x").IsNull(), s)
	require.NoError(t, err)
}

// TestEnumsOnServer: the same order as a real enum's.
func TestEnumsOnServer(t *testing.T) {
	srv := pgtest.New(t, testVersions()[0], pgtest.Options{})
	srv.Start()
	srv.SQL("postgres", `CREATE TYPE mood AS ENUM ('sad', 'happy'); ALTER TYPE mood ADD VALUE 'ok' BEFORE 'happy';
		CREATE TABLE e (id int, m mood); INSERT INTO e VALUES (0, 'sad'), (1, 'happy'), (2, 'ok')`)
	s, b := userScope()
	s.EnumLabels = func(catalog.OID) (labels []catalog.EnumLabel, err error) {
		for _, row := range srv.Query("postgres", "SELECT oid, enumsortorder, enumlabel FROM pg_enum ORDER BY enumsortorder") {
			oid, err := strconv.ParseUint(*row[0], 10, 32)
			require.NoError(t, err)
			order, err := strconv.ParseFloat(*row[1], 32)
			require.NoError(t, err)
			labels = append(labels, catalog.EnumLabel{OID: catalog.OID(oid), Order: float32(order), Label: *row[2]})
		}
		return labels, nil
	}
	labels, err := s.EnumLabels(0)
	require.NoError(t, err)
	for i, label := range []int{0, 2, 1} { // sad, happy, ok
		binary.LittleEndian.PutUint32(b.Cols[0].Data[4*i:], labels[label].OID)
	}
	for _, op := range []string{"<", "<=", ">", ">=", "=", "<>"} {
		for _, label := range []string{"sad", "ok", "happy"} {
			b.HasSel = false
			f, err := BindCondition(Op(op, Col("m"), Unknown(label)), s)
			require.NoError(t, err)
			require.NoError(t, f.Filter(b))
			var want []int32
			for _, row := range srv.Query("postgres", "SELECT id FROM e WHERE m "+op+" '"+label+"' ORDER BY id") {
				id, err := strconv.ParseInt(*row[0], 10, 32)
				require.NoError(t, err)
				want = append(want, int32(id))
			}
			require.ElementsMatch(t, want, b.Sel, "%s %s", op, label)
		}
	}
}
