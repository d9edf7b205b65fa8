// Package examples holds runnable programs, each in a folder of its own:
// serial (rows on one lane), parallel (lanes and topologies compared),
// customstage (a stage of one's own) and service (tables over HTTP). Tests run them
// all.
package examples
