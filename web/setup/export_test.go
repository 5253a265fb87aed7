package setup

var BlockName = blockName
