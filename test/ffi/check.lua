-- SPDX-License-Identifier: MIT
-- check.lua FOLDER - clopt.lua of this folder: errors with their numbers, callbacks that fail or end
-- a call, any function of C.
package.path = arg[1] .. '/?.lua;' .. package.path
local clopt = require 'clopt'
local ffi = require 'ffi'
local failed = false

local function expect(right, what)
  if not right then
    print('check.lua: ' .. what)
    failed = true
  end
end

-- What f fails with, as text, and its status.
local function failure(f, ...)
  local ok, e = pcall(f, ...)
  return ok and '' or tostring(e), not ok and type(e) == 'table' and e.status
end

local ctx = clopt.open()
local a, b = clopt.matrix(3, 4), clopt.matrix(3, 4)
expect(failure(ctx.matmul, ctx, a, b):find('3 x 4 by 3 x 4', 1, true), 'sizes that do not fit')
expect(failure(ctx.nbody, ctx, clopt.matrix(2, 3), b):find('not 3'), 'points of three numbers')
local text, status = failure(ctx.call, ctx, 'clopt_transpose', 3, 4, 8, a.data, 2, b.data, 3)
expect(status == clopt.C.CLOPT_EINVAL and text:find('leading dimension'), 'an error of the library')
text, status = failure(ctx.potential, ctx, b, b, { eps_in = -1 })
expect(status == clopt.C.CLOPT_EINVAL and text:find('eps_in'), 'an option out of range')
expect(failure(ctx.potential, ctx, b, b, { epsilon = 1 }):find('epsilon'), 'no such option')
expect(ctx:potential(clopt.matrix(0, 4), clopt.matrix(0, 4)).rows == 0, 'no points')
ctx:close()
ctx:close()
expect(failure(ctx.transpose, ctx, a):find('closed'), 'a context that is closed')

-- Much longer than it may take until progress is asked.
local bodies = clopt.matrix(500, 4, function(i, j) return j == 0 and i or j == 3 and 1 or 0 end)
local rest = clopt.matrix(500, 4)
local asked, lines = 0, 0
local watched = clopt.open {
  verbose = 1,
  log = function(line) if line:find('evolve') then lines = lines + 1 end end,
  progress = function(done)
    asked = asked + 1
    if asked == 2 then error('asked twice', 0) end
    return asked ~= 4 and done <= 1
  end,
}
local function evolve() watched:evolve(bodies, rest, 1e-9, 1e8) end
expect(failure(evolve) == 'asked twice', 'an error of progress')
text, status = failure(evolve)
expect(status == clopt.C.CLOPT_ECANCELED and asked == 4, 'progress that ends a call')
expect(lines == 2, 'lines of text')
expect(failure(watched.evolve, watched, bodies, rest, 1e-9, -1):find('-1 steps', 1, true),
  'a negative number of steps')
local last
watched:evolve(bodies, rest, 1e-9, 100, { every = 2 }, function(step)
  last = step
  watched:close()
  return step < 6
end)
expect(last == 6, 'a run that its observer ends')
expect(watched:transpose(a).cols == 3, 'close in a callback')
watched:close()
local logged = clopt.open { verbose = 1, log = function() error('no room', 0) end }
expect(failure(logged.transpose, logged, a) == 'no room', 'an error of log')

-- Of the few callbacks that LuaJIT has, one is left: contexts give theirs back.
local taken, ok = {}, true
while ok do ok, taken[#taken + 1] = pcall(ffi.cast, 'int (*)(void *)', tostring) end
taken[#taken] = nil
table.remove(taken):free()
for _ = 1, 2 do
  text, status = failure(clopt.open, { device = 'no such device', log = print })
  expect(status == clopt.C.CLOPT_ENODEVICE, 'a device that is not there: ' .. text)
end
for _ = 1, 2 do
  -- A coroutine, since what is done lies on this stack for a while.
  local text = coroutine.wrap(function() return (failure(clopt.open, { log = print })) end)()
  expect(text == '', 'a context after one that was collected: ' .. text)
  collectgarbage()
end
for _, callback in ipairs(taken) do callback:free() end
expect(ffi.string(clopt.C.clopt_version()) ~= '', 'a version')
os.exit(not failed)
