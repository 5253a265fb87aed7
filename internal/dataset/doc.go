// Package dataset reads and writes files: a study's folder and question set on
// the way in, ratings, votes and answers on the way out. It is the one package
// that knows column names.
//
// Reading is strict: a file is accepted unchanged, or refused with a list of all its faults, each with file,
// line, column, value and what was expected. Nothing here touches the database; callers pass exports their
// rows.
package dataset
