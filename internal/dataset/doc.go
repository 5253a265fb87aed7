// Package dataset reads and writes files: a study's folder and question set on
// the way in, ratings, votes and answers on the way out. It is the one package
// that knows column names.
//
// Reading is strict and whole: a file is accepted as it stands or refused with
// all its faults, each with its file, line, column, value and what was
// expected. Nothing here touches the database; exports take rows from whoever
// has them.
package dataset
