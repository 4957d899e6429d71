import { setImmediate } from 'node:timers/promises';
import { IdentityOrigin } from '../../../operator/identity/identity-origin';
import { IdentityWatch, LOOK_MS, STRANGER_GONE_MS } from '../../../operator/identity/identity-watch';
import { IpamError } from '../../../operator/errors/ipam-error';
import { ManualClock } from '../../support/manual-clock';
import { RecordedLogger, RecordedMeter } from '../../support/recorded-telemetry';

/** The place that operators of both clusters write to. */
class Record {
  text = '';
  /** Nobody reaches it. */
  away = false;

  #answered: Promise<void> = Promise.resolve();

  /** Answers nobody who only reads until what it returns is called, and then with what stood here when it was asked. */
  hold(): () => void {
    let answer: () => void = () => undefined;
    this.#answered = new Promise((resolve) => {
      answer = () => {
        this.#answered = Promise.resolve();
        resolve();
      };
    });
    return answer;
  }

  change(change?: { readonly text: string; readonly expected: string }): Promise<string> {
    return change?.expected === this.text ? this.note(change.text) : this.note();
  }

  note(text?: string): Promise<string> {
    if (this.away) return Promise.reject(new IpamError('store/unavailable', 'the record is away'));
    if (text !== undefined) this.text = text;
    const stands = this.text;
    return text === undefined ? this.#answered.then(() => stands) : Promise.resolve(stands);
  }
}

const clock = new ManualClock();
/** By how much somebody has set the clock. */
let jumpMs: number;
const wallClock = { nowMs: () => clock.nowMs() + jumpMs, after: clock.after.bind(clock) };
let record: Record;
/** Where it stands whose the claims are. */
let origins: Record;
let open: IdentityWatch[];

beforeEach(() => {
  record = new Record();
  origins = new Record();
  jumpMs = 0;
  open = [];
});

afterEach(async () => {
  await Promise.all(open.map((watch) => watch.close()));
});

interface Operator {
  readonly watch: IdentityWatch;
  readonly logger: RecordedLogger;
  lead(): void;
  /** Ends as a process that is asked to, or like one that is killed. */
  end(): Promise<void>;
  /** Leads no more, and goes on. */
  stepDown(): Promise<void>;
  kill(): Promise<void>;
  leads(): boolean;
}

/** Starts an operator; `leader` is whom the Lease of its cluster names, `led` who was seen to renew it. */
function operator(instance: string, leader: () => string = () => instance, led: readonly string[] = []): Operator {
  const logger = new RecordedLogger();
  const watch = new IdentityWatch({
    clock: wallClock,
    logger,
    meter: new RecordedMeter(),
    instance,
    leader,
    hasLed: (other) => led.includes(other),
    note: (text) => record.note(text),
    origin: new IdentityOrigin({ own: () => Promise.resolve('one'), note: (change) => origins.change(change) }),
    at: () => Promise.resolve(instance),
  });
  open.push(watch);
  let begun = false;
  const work = watch.whenSure({
    begin: () => {
      begun = true;
    },
    end: () => Promise.resolve(),
  });
  return {
    watch,
    logger,
    lead: () => {
      work.begin();
    },
    end: async () => {
      await work.end();
      await watch.close();
    },
    stepDown: () => work.end(),
    kill: () => watch.close(),
    leads: () => begun,
  };
}

/** Looks until a proven stranger that is silent counts as gone, and a few more. */
const LONG = STRANGER_GONE_MS / LOOK_MS + 2;

/** Lets so much time pass that as many looks of each end, one after the other. */
async function looks(count: number): Promise<void> {
  const step = LOOK_MS / 5;
  for (let passed = 0; passed < count * LOOK_MS; passed += step) {
    clock.advance(step);
    await setImmediate(); // each look ends in its own step, however many promises it takes
  }
}

describe('IdentityWatch', () => {
  test('lets a leader begin at once where nobody was before', async () => {
    const a = operator('a');
    a.lead();
    await looks(1);
    expect([a.leads(), a.watch.stranger()]).toEqual([true, undefined]);
  });

  test('lets the next leader begin at once after one that ended in order, and later after one that was killed', async () => {
    const first = operator('first');
    first.lead();
    await looks(2);
    await first.end();
    const second = operator('second', undefined, ['first']);
    second.lead();
    await looks(1);
    expect(second.leads()).toBe(true);
    await second.kill();
    const third = operator('third');
    third.lead();
    await looks(1.4);
    expect(third.leads()).toBe(false);
    await looks(2);
    expect([third.leads(), third.watch.stranger()]).toEqual([true, undefined]);
  });

  test('DR-03 never lets a restored cluster begin beside the one that is alive, which is not disturbed', async () => {
    const here = operator('here');
    here.lead();
    await looks(2);
    const restored = operator('restored', () => 'here'); // its Lease came with the backup
    await looks(2);
    const taken = operator('taken');
    taken.lead();
    await looks(6);
    expect([here.leads(), here.watch.stranger()]).toEqual([true, undefined]);
    expect([taken.leads(), taken.watch.stranger()]).toEqual([false, 'the operator at here']);
    expect(restored.leads()).toBe(false);
    expect(taken.logger.lines.map(({ message }) => message)).toEqual([
      'another cluster goes by the identity of this one',
    ]);
    await here.end();
    await looks(LONG);
    expect([taken.leads(), taken.watch.stranger()]).toEqual([true, undefined]);
  });

  test('DR-03 lets no restored cluster begin while the one that is alive has no leader for a moment', async () => {
    const here = operator('here');
    here.lead();
    await looks(2);
    const restored = operator('restored');
    restored.lead();
    await looks(6);
    await here.stepDown(); // its API server is away
    await looks(3);
    expect([restored.leads(), restored.watch.alone(), restored.watch.stranger()]).toEqual([
      false,
      false,
      'the operator at here',
    ]);
    here.lead();
    await looks(LONG);
    expect([restored.leads(), restored.watch.stranger()]).toEqual([false, 'the operator at here']);
  });

  test('DR-03 takes the end of an operator that was never seen to lead here for no sign that nobody is there', async () => {
    const here = operator('here');
    here.lead();
    await looks(2);
    await here.stepDown();
    const restored = operator('restored');
    restored.lead();
    await looks(1);
    expect([restored.leads(), restored.watch.alone(), restored.watch.stranger()]).toEqual([false, false, undefined]);
    here.lead();
    await looks(6);
    expect([restored.leads(), restored.watch.stranger()]).toEqual([false, 'the operator at here']);
  });

  test('DR-03 is noticed on both sides where both have begun, until one of them is silent', async () => {
    const [a, b] = [operator('a'), operator('b')];
    a.lead();
    await looks(1.4);
    record.text = '';
    b.lead();
    await looks(4);
    expect([a.watch.stranger(), b.watch.stranger()]).toEqual(['the operator at b', 'the operator at a']);
    await b.kill();
    await looks(6);
    expect(a.watch.stranger()).toBe('the operator at b');
    await looks(LONG);
    expect(a.watch.stranger()).toBeUndefined();
  });

  test('DR-03 takes the silence of a record that was away for no sign that the other cluster is gone', async () => {
    const here = operator('here');
    here.lead();
    await looks(2.4);
    const restored = operator('restored');
    restored.lead();
    await looks(1.4);
    record.away = true;
    await looks(11.6); // so that the restored one looks first
    record.away = false;
    await looks(8);
    expect([here.leads(), restored.leads(), restored.watch.stranger()]).toEqual([true, false, 'the operator at here']);
  });

  test('DR-03 lets no jump of the clock make the other cluster look gone', async () => {
    const here = operator('here');
    here.lead();
    await looks(2);
    const restored = operator('restored');
    restored.lead();
    await looks(0.4);
    jumpMs = 3_600_000;
    await looks(0.8);
    jumpMs = -3_600_000;
    await looks(4);
    expect([restored.leads(), restored.watch.stranger()]).toEqual([false, 'the operator at here']);
  });

  test('takes a late sign of life of the last leader for no stranger', async () => {
    const [held, next] = [operator('held'), operator('next', undefined, ['held'])];
    held.lead();
    await looks(2);
    const late = record.text.replace(/"beat":\d+/u, '"beat":99');
    await held.end();
    next.lead();
    await looks(1);
    record.text = late;
    await looks(1);
    record.text = late.replace('99', '100');
    await looks(4);
    expect([next.leads(), next.watch.stranger(), next.logger.lines]).toEqual([true, undefined, []]);
  });

  test('takes a leader that stood still beside its successor for no stranger, and is none to it', async () => {
    let holder = 'frozen';
    const frozen = operator('frozen', () => holder);
    const next = operator('next', () => holder);
    frozen.lead();
    await looks(3);
    holder = 'next';
    next.lead(); // while the other one does not know yet that it leads no more, for half of a look
    await looks(0.6);
    await frozen.stepDown();
    await looks(6);
    expect([next.watch.stranger(), frozen.watch.stranger()]).toEqual([undefined, undefined]);
    expect([...next.logger.lines, ...frozen.logger.lines]).toEqual([]);
  });

  test('takes what stands in a record of an older backup for no stranger', async () => {
    const a = operator('a');
    const follower = operator('follower', () => 'a');
    a.lead();
    await looks(3);
    record.text = JSON.stringify({ instance: 'of-last-week', at: 'at another Pod', beat: 7, ended: false });
    await looks(6);
    expect([a.watch.stranger(), follower.watch.stranger()]).toEqual([undefined, undefined]);
    expect([...a.logger.lines, ...follower.logger.lines]).toEqual([]);
  });

  test('takes nobody for a stranger while a follower has not heard of the change of its leader', async () => {
    const [a, b] = [operator('a'), operator('b')];
    let known = 'a';
    const follower = operator('follower', () => known);
    a.lead();
    await looks(2);
    await a.end();
    b.lead();
    await looks(2); // the Lease was read before
    known = 'b';
    await looks(3);
    expect([follower.watch.stranger(), follower.logger.lines]).toEqual([undefined, []]);
  });

  test('knows no stranger where a new replica looks before it has read the Lease, or finds the note of a leader that died', async () => {
    const leader = operator('leader');
    leader.lead();
    await looks(2);
    let known = '';
    const fresh = operator('fresh', () => known);
    await looks(0.2);
    expect(fresh.watch.suspects()).toBe(true);
    known = 'leader';
    await looks(0.2);
    expect([fresh.watch.suspects(), fresh.watch.stranger()]).toEqual([false, undefined]);
    await leader.kill();
    const next = operator('next', () => '');
    await looks(1);
    expect(next.watch.suspects()).toBe(true);
    next.lead();
    expect(next.watch.suspects()).toBe(true);
    await looks(2);
    expect([next.watch.suspects(), next.watch.stranger()]).toEqual([false, undefined]);
  });

  test('suspects nobody where an operator went in order', async () => {
    const first = operator('first');
    first.lead();
    await looks(2);
    await first.end();
    const next = operator('next', () => '');
    await looks(1);
    expect([next.watch.suspects(), next.watch.alone()]).toEqual([false, false]);
  });

  test('refuses nothing where three replicas follow each other, start at once on an empty record, or lose it for a minute', async () => {
    const names = ['one', 'two', 'three'];
    let holder = '';
    const all = names.map((name) => operator(name, () => holder, names));
    for (const name of names) {
      holder = name;
      const leader = all[names.indexOf(name)];
      leader?.lead();
      await looks(2.2);
      record.away = true;
      await looks(12);
      record.away = false;
      await looks(6);
      expect([name, leader?.leads()]).toEqual([name, true]);
      await leader?.stepDown();
    }
    for (const { watch, logger } of all)
      expect([watch.stranger(), logger.lines.filter(({ level }) => level === 'error')]).toEqual([undefined, []]);
  });

  test('lets a replica begin at once that saw its leader fall silent before the Lease ran out', async () => {
    let holder = 'leader';
    const leader = operator('leader');
    const follower = operator('follower', () => holder);
    leader.lead();
    await looks(2);
    await leader.kill();
    await looks(3);
    holder = 'follower';
    follower.lead();
    await looks(0.2);
    expect([follower.leads(), follower.watch.stranger()]).toEqual([true, undefined]);
  });

  test('lets a leader begin at once that was elected while a look from before was under way', async () => {
    const [first, next] = [operator('first'), operator('next', () => 'next', ['first'])];
    first.lead();
    await looks(2.4);
    const answer = record.hold();
    await looks(1);
    const ended = first.end();
    next.lead();
    answer();
    await ended;
    await looks(0.4);
    expect(next.leads()).toBe(true);
  });

  test('takes the leader of its own cluster for no stranger', async () => {
    const leader = operator('leader');
    const follower = operator('follower', () => 'leader');
    leader.lead();
    await looks(6);
    expect(follower.watch.stranger()).toBeUndefined();
  });
});
