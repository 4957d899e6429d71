// Loaded into the operator by --require: ends the process at a COMMIT of the store, as a loss of power would. The file that
// CUT_AT_COMMIT names says at which one from then on, and on which side of it: `2 before`, `1 after`.
const { readFileSync, writeFileSync, rmSync } = require('node:fs');
const { StatementSync } = require('node:sqlite');

const file = process.env.CUT_AT_COMMIT;
const run = StatementSync.prototype.run;

function due() {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  const [left, side] = text.split(' ');
  if (Number(left) > 1) {
    writeFileSync(file, `${Number(left) - 1} ${side}`);
    return undefined;
  }
  rmSync(file);
  return side;
}

StatementSync.prototype.run = function (...values) {
  const side = /^COMMIT\b/i.test(this.sourceSQL) ? due() : undefined;
  if (side === 'before') process.kill(process.pid, 'SIGKILL');
  const result = run.apply(this, values);
  if (side === 'after') process.kill(process.pid, 'SIGKILL');
  return result;
};
