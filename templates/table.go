package templates

// TableOf says which table it is.
type TableOf struct {
	Label string // names it to assistive programs; unique on the page
	Class string // "compact" is as wide as its content
	Fixed bool   // cannot be sorted by the reader
}

// Column is a heading, and what its cells hold.
type Column struct {
	name, class, dir string
	plain            bool
}

// Words heads a column of text.
func Words(name string) Column { return Column{name: name} }

// Theirs heads a column by a name that a study brought, in whatever script.
func Theirs(name string) Column { return Column{name: name, dir: "auto"} }

// Number heads a column of numbers.
func Number(name string) Column { return Column{name: name, class: "number"} }

// TheirNumber heads a column of numbers by a name that a study brought.
func TheirNumber(name string) Column { return Column{name: name, class: "number", dir: "auto"} }

// Plain heads a column that cannot be sorted by, such as one of buttons.
func Plain(name string) Column { return Column{name: name, plain: true} }
