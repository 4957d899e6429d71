import { grpcTerm } from '../../../../../operator/front-doors/networks/grpc/grpc-term';
import { ManualClock } from '../../../../support/manual-clock';
import { RecordedLogger, RecordedMeter } from '../../../../support/recorded-telemetry';

const clock = new ManualClock();
let events: string[];
let canListen: boolean;
let canWrite: boolean;
let tell: (isGiving: boolean) => void;
let problems: (string | undefined)[];

beforeEach(() => {
  [events, problems] = [[], []];
  [canListen, canWrite] = [true, true];
});

const termOf = () =>
  grpcTerm({
    clock,
    logger: new RecordedLogger(),
    meter: new RecordedMeter(),
    open: () => ({
      listen: () => {
        events.push('listen');
        return canListen ? Promise.resolve({ host: '::', port: 9999 }) : Promise.reject(new RangeError('taken'));
      },
      serving: (isServing) => events.push(isServing ? 'serving' : 'not serving'),
      close: () => {
        events.push('close');
        return Promise.resolve();
      },
    }),
    announcement: {
      announce: () => {
        events.push('announce');
        return Promise.resolve(canWrite);
      },
      withdraw: () => {
        events.push('withdraw');
        return Promise.resolve(canWrite);
      },
    },
    follow: (listener) => {
      tell = listener;
      listener(false);
      return () => undefined;
    },
    onProblem: (problem) => problems.push(problem),
  });

// every promise of the fakes is settled
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

test('a process is announced once it listens and calls are decided, and withdrawn before it closes', async () => {
  const term = termOf();
  term.begin();
  await settled();
  expect(events).toEqual(['listen', 'not serving']);
  tell(true);
  await settled();
  expect(events.slice(2)).toEqual(['serving', 'announce']);
  await term.end();
  expect(events.slice(4)).toEqual(['not serving', 'withdraw', 'close']);
});

test('while calls are not decided for a time, it is withdrawn', async () => {
  const term = termOf();
  term.begin();
  await settled();
  tell(true);
  await settled();
  tell(false);
  await settled();
  expect(events.slice(-2)).toEqual(['not serving', 'withdraw']);
  await term.end();
  expect(events.slice(-2)).toEqual(['not serving', 'close']);
});

test('what could not be written is tried again, and looked at from time to time', async () => {
  canWrite = false;
  const term = termOf();
  term.begin();
  await settled();
  tell(true);
  await settled();
  canWrite = true;
  clock.advance(1_000);
  await settled();
  clock.advance(30_000);
  await settled();
  expect(events.filter((each) => each === 'announce')).toHaveLength(3);
  await term.end();
});

test('a port that is taken is tried again, and told until then', async () => {
  canListen = false;
  const term = termOf();
  term.begin();
  await settled();
  expect(problems).toEqual(['the gRPC API of networks cannot listen; the log says why']);
  tell(true);
  await settled();
  expect(events).toEqual(['listen', 'close']);
  canListen = true;
  clock.advance(2_000);
  await settled();
  expect(problems.at(-1)).toBeUndefined();
  expect(events.slice(2)).toEqual(['listen', 'serving', 'announce']);
  await term.end();
});
