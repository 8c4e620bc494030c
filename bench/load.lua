-- Ask for the targets of a file in random order: wrk -s load.lua URL -- FILE
local targets = {}

function init(arguments)
  for line in io.lines(arguments[1]) do
    targets[#targets + 1] = line
  end
  math.randomseed(1)
end

function request()
  return wrk.format("GET", targets[math.random(#targets)])
end
