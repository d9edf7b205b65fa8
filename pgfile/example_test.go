package pgfile_test

import (
	"encoding/binary"
	"fmt"
	"log"

	"github.com/pipescan/pipescan/pgfile"
)

// One heap page with one row of a table (id int4, name text), read as a scan
// reads it: header, line pointers, then the row's attributes.
func Example() {
	page := make(pgfile.Page, pgfile.PageSize)
	row := page[8152:] // where the server put the only tuple
	copy(row[18:], []byte{2, 0, 0, 0, 24})
	copy(row[24:], []byte{7, 0, 0, 0, 5<<1 | 1, 'f', 'r', 'o', 'g'})
	binary.LittleEndian.PutUint16(page[12:], 28)
	binary.LittleEndian.PutUint16(page[14:], 8152)
	binary.LittleEndian.PutUint16(page[16:], 8192)
	binary.LittleEndian.PutUint32(page[24:], 8152|pgfile.ItemNormal<<15|33<<17)

	if err := pgfile.ValidatePage(page); err != nil {
		log.Fatal(err)
	}
	if bad, err := pgfile.ValidateItems(page); err != nil {
		log.Fatal(bad, err)
	}
	attrs := []pgfile.Attr{{Len: 4, Align: 'i', ByVal: true}, {Len: -1, Align: 'i'}}
	plan, err := pgfile.NewDeformPlan(attrs, []int{0, 1})
	if err != nil {
		log.Fatal(err)
	}
	values := make([]pgfile.Datum, plan.Width())
	for n := 1; n <= page.NumItems(); n++ {
		if page.Item(n).State() != pgfile.ItemNormal {
			continue
		}
		if err := plan.Deform(page.Tuple(n), values); err != nil {
			log.Fatal(err)
		}
		name, err := pgfile.ParseVarlena(values[1])
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(binary.LittleEndian.Uint32(values[0]), string(name.Data))
	}
	// Output: 7 frog
}
