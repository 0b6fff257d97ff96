-- SPDX-License-Identifier: MIT
--
-- tour.lua - the library from LuaJIT: a product, a transpose, the potential in a crystal,
-- a ring of bodies that turns.  Each result is compared with plain loops or a formula.
--
--     luajit tour.lua
package.path = (arg[0]:match('.*/') or './') .. '?.lua;' .. package.path
local clopt = require 'clopt'
local right = true

local function expect(what, error, bound)
  if not (error <= bound) then
    print(what, 'wrong by', error)
    right = false
  end
end

local ctx = clopt.open()

local a = clopt.matrix(37, 29, function(i, l) return (3 * i + 5 * l) % 7 - 3 end)
local b = clopt.matrix(29, 41, function(l, j) return (2 * l + 7 * j) % 5 - 2 end)
local c = ctx:matmul(a, b)
local sum = 0
for i = 0, 36 do
  for j = 0, 40 do
    local want = 0
    for l = 0, 28 do want = want + a.data[i * 29 + l] * b.data[l * 41 + j] end
    expect('matmul', math.abs(c.data[i * 41 + j] - want), 0)
    sum = sum + (i + 1) * c.data[i * 41 + j]
  end
end
print(('matmul     37 x 29 x 41: last %d, weighted sum %d'):format(c.data[37 * 41 - 1], sum))

local t = ctx:transpose(a)
for i = 0, 36 do
  for l = 0, 28 do expect('transpose', math.abs(t.data[l * 37 + i] - a.data[i * 29 + l]), 0) end
end
print(('transpose  last row begins with %d'):format(t.data[28 * 37]))

-- Ions of charge 1 and -1 by turns, a unit apart: rock salt.
local ions = clopt.matrix(512, 4, function(i, j)
  local at = { math.floor(i / 64), math.floor(i / 8) % 8, i % 8 }
  return at[j + 1] or 1 - 2 * ((at[1] + at[2] + at[3]) % 2)
end)
local phi = ctx:potential(ions, ions)
local energy = 0
for i = 0, 511 do
  local p, want = ions.data + 4 * i, 0
  for j = 0, 511 do
    local q = ions.data + 4 * j
    local d = math.sqrt((p[0] - q[0]) ^ 2 + (p[1] - q[1]) ^ 2 + (p[2] - q[2]) ^ 2)
    if d > 0 then want = want + q[3] / d end
  end
  expect('potential', math.abs(phi.data[i] - want), 1e-10)
  energy = energy + p[3] * phi.data[i] / 2
end
print(('potential  energy per pair of ions %.4f'):format(energy / 256))

-- Six bodies on a circle of radius 1, of mass 1 in all, attract each other towards the centre by
-- a = (1/24) sum over k of 1 / sin(pi k / 6).  With a velocity of sqrt(a) the ring turns.
local pull = 0
for k = 1, 5 do pull = pull + 1 / math.sin(math.pi * k / 6) / 24 end
local v = math.sqrt(pull)
local function ring()
  return clopt.matrix(6, 4, function(i, j)
    local angle = math.pi * i / 3
    return ({ math.cos(angle), math.sin(angle), 0, 1 / 6 })[j + 1]
  end)
end
local bodies, begin = ring(), ring()
local velocities = clopt.matrix(6, 4, function(i, j)
  local angle = math.pi * i / 3
  return ({ -v * math.sin(angle), v * math.cos(angle), 0, 0 })[j + 1]
end)
local acc = ctx:nbody(bodies, bodies)
for i = 0, 5 do
  for j = 0, 2 do
    expect('nbody', math.abs(acc.data[4 * i + j] + pull * bodies.data[4 * i + j]), 1e-12)
  end
end
print(('nbody      acceleration %.4f towards the centre'):format(
  math.sqrt(acc.data[0] ^ 2 + acc.data[1] ^ 2)))

-- Once round in 400 steps; the callback sees each quarter.
local options = { integrator = clopt.C.CLOPT_INTEGRATOR_HERMITE, every = 100 }
io.write('evolve     energy')
ctx:evolve(bodies, velocities, 2 * math.pi / v / 400, 400, options, function(step, _, _, sums)
  io.write((', step %d: %.4f'):format(step, sums.kinetic + sums.potential))
end)
io.write('\n')
for i = 0, 23 do expect('evolve', math.abs(bodies.data[i] - begin.data[i]), 1e-5) end

-- An error in the callback ends the run and comes out of it.
options.every = 1
local _, message = pcall(ctx.evolve, ctx, bodies, velocities, 1e-3, 400, options, function(step)
  if step == 3 then error('enough at step 3', 0) end
end)
print('callback   ' .. tostring(message))

local _, failure = pcall(clopt.open, { device = 'no such device' })
print(('error      %d, %s'):format(failure.status, clopt.strerror(failure.status)))
ctx:close()
os.exit(right)
