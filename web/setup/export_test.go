package setup

import pages "overton/templates/setup"

var BlockName = pages.BlockName
