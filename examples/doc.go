// Package examples holds runnable programs, each in a folder of its own:
// serial (rows on one lane), parallel (lanes and topologies compared) and
// customstage (a stage of one's own). Its test runs them all.
package examples
