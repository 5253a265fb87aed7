package take_test

import (
	"testing"

	"overton/web/webtest"
)

func TestMain(m *testing.M) { webtest.Main(m) }
