// Package study says what a study is and what happens next in it: the flow of steps that a participant goes
// through, which answers are acceptable, which questions a person is assigned, which statement is drawn for a
// vote, and how a submission ends.
//
// Everything here is a pure decision over values. There is no SQL, no HTTP, no clock and no global
// randomness: the caller passes in the time and a generator, so that a whole study can be replayed in a test.
// Texts shown to people belong to the pages, file formats to dataset.
package study
