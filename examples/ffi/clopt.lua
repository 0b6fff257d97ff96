-- SPDX-License-Identifier: MIT
--
-- clopt.lua - the library for LuaJIT, which reads the C headers itself: no compiler, no copy of them.
--
--     local clopt = require 'clopt'
--     local ctx = clopt.open()
--     local c = ctx:matmul(a, b)             -- matrices of clopt.matrix
--     ctx:call('clopt_sgemm', ...)           -- any C function whose first argument is the context
--
-- A failure is an error: a table with status and text, which tostring() gives.  Errors in callbacks
-- do not pass through C: they cancel the call, and come out of it.  A context belongs to one Lua
-- state; its callbacks run in the thread that called.
local ffi = require 'ffi'

-- The headers without what is for compilers.  CLOPT_INCLUDE: their folder, if pkg-config has none.
local function declarations()
  local folders = { os.getenv('CLOPT_INCLUDE') or false }
  local pipe = not folders[1] and io.popen('pkg-config --variable=includedir clopt 2>/dev/null')
  if pipe then
    folders = { pipe:read('*l') or false, '/usr/local/include', '/usr/include' }
    pipe:close()
  end
  for _, folder in ipairs(folders) do
    local file = folder and io.open(folder .. '/clopt.h')
    if file then
      local text = file:read('*a')
      file:close()
      file = assert(io.open(folder .. '/clopt_pairs.h')) -- which clopt.h includes
      text = text .. file:read('*a')
      file:close()
      text = text:gsub('/%*.-%*/', ' '):gsub('\\\n', ' ')
      local statuses = {}
      for name, number in text:gmatch('X%((%u+), (%-?%d+),') do
        statuses[#statuses + 1] = ('CLOPT_%s = %s,'):format(name, number)
      end
      return (text:gsub('#ifdef __cplusplus.-#endif', ''):gsub('#[^\n]*', ''):gsub('CLOPT_API', '')
        :gsub('CLOPT_STATUS_MAP%b()', table.concat(statuses)))
    end
  end
  error('clopt.lua: clopt.h is not in ' .. table.concat(folders, ', ') .. '; set CLOPT_INCLUDE')
end

ffi.cdef(declarations())
-- Of clopt_device.h.
ffi.cdef 'int clopt_selfcheck(struct clopt *, const void *);'
local C = ffi.load('clopt')

local failure = {}
failure.__index = failure
failure.__tostring = function(e) return e.text end

-- A status in a few words.
local function strerror(status) return ffi.string(C.clopt_strerror(status)) end

local function check(status, ctx)
  if status ~= 0 then
    local text = ffi.string(C.clopt_error(ctx))
    if text == '' then text = strerror(status) end
    error(setmetatable({ status = status, text = text }, failure), 0)
  end
end

-- A struct of C with its defaults, and these fields.
local function filled(name, fields)
  local struct = ffi.new('struct ' .. name)
  C[name .. '_init'](struct, ffi.sizeof(struct))
  for field, value in pairs(fields or {}) do struct[field] = value end
  return struct
end

-- Calls f in a callback: an error is kept in `kept`.
local function caught(kept, f, ...)
  kept.inside = true
  local ok, result = pcall(f, ...)
  kept.inside = false
  if not ok then kept.error = kept.error or { result } end
  return ok, result
end

-- A C function that calls f, and returns 1 if f fails or returns false.
local function guarded(type, kept, f)
  return ffi.cast(type, function(...)
    local ok, result = caught(kept, f, ...)
    return ok and result ~= false and 0 or 1
  end)
end

local context = {}
context.__index = context

-- options: the fields of struct clopt_options.  log(line) and progress(done) are Lua functions;
-- progress cancels the call if it returns false.  A context is closed when it is collected, unless
-- they refer to it.
local function open(options)
  -- Only a userdata of newproxy has a __gc in LuaJIT.
  local self = setmetatable({ kept = {}, callbacks = {}, collected = newproxy(true) }, context)
  getmetatable(self.collected).__gc = function() self:close() end
  local fields = {}
  for field, value in pairs(options or {}) do fields[field] = value end
  if fields.log then
    local log = fields.log
    local kept = self.kept -- not self: what a callback refers to is never collected
    self.callbacks[1] = ffi.cast('void (*)(void *, const char *)', function(_, line)
      if not caught(kept, log, ffi.string(line)) and kept.ptr then C.clopt_cancel(kept.ptr) end
    end)
    fields.log = self.callbacks[1]
  end
  if fields.progress then
    local progress = fields.progress
    self.callbacks[2] = guarded('int (*)(void *, double)', self.kept,
      function(_, done) return progress(done) end)
    fields.progress = self.callbacks[2]
  end
  local ptr = ffi.new('struct clopt *[1]')
  local status = C.clopt_open(ptr, filled('clopt_options', fields))
  if status == 0 then self.ptr = ptr[0] else self:close() end
  self.kept.ptr = self.ptr
  self:conclude(status)
  return self
end
jit.off(open) -- a call that calls back may not be compiled

function context:conclude(status)
  local kept = self.kept.error
  if kept then
    self.kept.error = nil
    error(kept[1], 0)
  end
  check(status, self.ptr)
end

function context:call(name, ...)
  self:conclude(C[name](assert(self.ptr, 'the context is closed'), ...))
end
jit.off(context.call)

-- Does nothing in a callback of the context, as in C.
function context:close()
  if self.kept.inside then return end
  if self.ptr then C.clopt_close(self.ptr) end
  self.ptr = nil
  self.kept.ptr = nil
  for i, callback in pairs(self.callbacks) do
    callback:free()
    self.callbacks[i] = nil
  end
end
jit.off(context.close)

function context:cancel() C.clopt_cancel(self.ptr) end

-- A matrix of doubles, row by row: element (i, j), from 0, is data[i * cols + j] = f(i, j).
local function matrix(rows, cols, f)
  local m = { rows = rows, cols = cols, data = ffi.new('double[?]', rows * cols) }
  if f then
    for i = 0, rows - 1 do
      for j = 0, cols - 1 do m.data[i * cols + j] = f(i, j) end
    end
  end
  return m
end

-- An error if a result is wrong here.
function context:selfcheck() self:call('clopt_selfcheck', nil) end

-- The product of two matrices.
function context:matmul(a, b)
  if a.cols ~= b.rows then
    error(('matmul: %d x %d by %d x %d'):format(a.rows, a.cols, b.rows, b.cols), 2)
  end
  local c = matrix(a.rows, b.cols)
  self:call('clopt_dgemm', C.CLOPT_LAYOUT_ROW_MAJOR, C.CLOPT_TRANS_NO, C.CLOPT_TRANS_NO, a.rows,
    b.cols, a.cols, 1, a.data, a.cols, b.data, b.cols, 0, c.data, c.cols)
  return c
end

function context:transpose(a)
  local t = matrix(a.cols, a.rows)
  self:call('clopt_transpose', a.rows, a.cols, 8, a.data, a.cols, t.data, t.cols)
  return t
end

-- Points, bodies and velocities are matrices of four columns: x, y, z and a charge or mass.
local function points(m)
  if m.cols ~= 4 then error(('points have 4 columns, not %d'):format(m.cols), 3) end
  return filled('clopt_points', { n = m.rows, type = C.CLOPT_TYPE_DOUBLE, stride_bytes = 32,
    x = m.data, y = m.data + 1, z = m.data + 2, w = m.data + 3 })
end

-- The potential of the sources at the targets: a matrix of one column.
function context:potential(sources, targets, options)
  local phi = matrix(targets.rows, 1)
  self:call('clopt_potential_points', points(sources), points(targets),
    filled('clopt_results', { type = C.CLOPT_TYPE_DOUBLE, phi = phi.data }),
    filled('clopt_potential_options', options))
  return phi
end

-- Accelerations and the potential: a matrix of four columns.
function context:nbody(sources, targets, options)
  local acc = matrix(targets.rows, 4)
  self:call('clopt_gravity', points(sources), points(targets),
    filled('clopt_results', { type = C.CLOPT_TYPE_DOUBLE, stride_bytes = 32, x = acc.data,
      y = acc.data + 1, z = acc.data + 2, phi = acc.data + 3 }),
    filled('clopt_nbody_options', options))
  return acc
end

-- Moves bodies in place.  each(step, bodies, velocities, sums) gets pointers; false ends the run.
function context:evolve(bodies, velocities, dt, steps, options, each)
  points(bodies)
  points(velocities)
  if bodies.rows ~= velocities.rows then
    error(('evolve: %d bodies, %d velocities'):format(bodies.rows, velocities.rows), 2)
  end
  if not (steps >= 0) then error(('evolve: %g steps'):format(steps), 2) end
  local o = filled('clopt_evolve_options', options)
  if each then
    o.each = guarded('int (*)(void *, size_t, const double *, const double *, ' ..
      'const struct clopt_conserved *)', self.kept,
      function(_, step, b, v, sums) return each(tonumber(step), b, v, sums) end)
  end
  local ok, failed = pcall(self.call, self, 'clopt_nbody_evolve', bodies.rows, bodies.data,
    velocities.data, dt, steps, o)
  if each then o.each:free() end
  if not ok then error(failed, 0) end
end

return { open = open, matrix = matrix, strerror = strerror, C = C }
