package sqlfront_test

import (
	"fmt"

	"github.com/pipescan/pipescan/sqlfront"
)

func ExampleWhere() {
	where, err := sqlfront.Where("a BETWEEN 1 AND 10 AND b LIKE 'x%'")
	fmt.Println(where, err)
	// Output: (a BETWEEN 1 AND 10) AND (b LIKE 'x%') <nil>
}

func ExampleCaret() {
	const text = "SELECT a FROM t WHERE b = (SELECT max(b) FROM t)"
	_, err := sqlfront.Parse(text)
	fmt.Println(err)
	fmt.Println(sqlfront.Caret(text, err))
	// Output:
	// a subquery is not supported: run it by itself and write its values here: IN (1, 2, 3)
	// LINE 1: SELECT a FROM t WHERE b = (SELECT max(b) FROM t)
	//                                   ^
}
