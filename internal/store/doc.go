// Package store keeps studies, participants and their answers in one SQLite
// file. It is the only package that speaks SQL.
//
// The file is read and written through two pools. Reads share a few read-only connections. Writes go through
// one connection with group commit: a single goroutine takes the waiting operations, gives each a savepoint,
// commits once with a full sync, and only then answers the callers. So an operation that returned without an
// error is on disk, and decisions that read and then write (the last place of a question, the last missing
// answer) never race.
//
// Package study decides what happens next in a study. The store loads a submission's progress, asks, and
// carries out the decision, inside one transaction.
package store
