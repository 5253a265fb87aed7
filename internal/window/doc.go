// Package window takes one analysis from collected data to a result: it reads a study's records, finds the
// viewpoint groups of each question, scores the models, and records the result with everything needed to run
// it again.
//
// Package cluster decides how groups are found, score how models are scored, and store where data is kept.
// This package decides which of the data counts.
package window
