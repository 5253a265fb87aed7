// Package migrations holds the SQL that brings a database to the present
// schema. Files are applied in the order of their numbers, each once; a
// released file never changes.
package migrations

import "embed"

// Files are the migrations, named NNNN_what.sql.
//
//go:embed *.sql
var Files embed.FS
