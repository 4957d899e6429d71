import { StreamParser, type StreamEvent } from '../../../../operator/front-doors/cleanup-events/parser';

const STREAM = [
  '\uFEFF: hello\n\n',
  'id: 1\r\nevent: cluster-deleted\r\ndata: {"cluster_id":\r\ndata: "ærø-😀"}\r\n\r\n',
  'id:2\rdata:  two spaces\r\r',
  ':heartbeat\n\nretry: 2500\nretry: soon\nid: 3\nid: a\0b\nunknown: x\ndata\n\n',
  'data: never ended\n',
].join('');

const EVENTS: readonly StreamEvent[] = [
  { id: '1', type: 'cluster-deleted', data: '{"cluster_id":\n"ærø-😀"}' },
  { id: '2', type: 'message', data: ' two spaces' },
  { id: '3', type: 'message', data: '' },
];

function read(parser: StreamParser, bytes: Uint8Array, size: number): StreamEvent[] {
  const events: StreamEvent[] = [];
  for (let at = 0; at < bytes.length; at += size) events.push(...parser.push(bytes.subarray(at, at + size)));
  return events;
}

describe('StreamParser', () => {
  const bytes = new TextEncoder().encode(STREAM);

  test.each([1, 2, 3, 5, 7, 64, 100_000])('reads the same events from chunks of %d bytes', (size) => {
    const parser = new StreamParser();
    expect(read(parser, bytes, size)).toEqual(EVENTS);
    expect(parser.retryMs).toBe(2_500);
  });

  test('gives no event the id of the one before', () => {
    expect(new StreamParser().push(new TextEncoder().encode('id: 7\ndata: x\n\ndata: y\n\n'))).toEqual([
      { id: '7', type: 'message', data: 'x' },
      { id: '', type: 'message', data: 'y' },
    ]);
  });

  test.each([100, 2_000_000])(
    'leaves out an event that is too long, in chunks of %d bytes, and reads the next',
    (size) => {
      const parser = new StreamParser();
      const long = new TextEncoder().encode(`data: ${'x'.repeat(1_100_000)}\n\ndata: next\n\n`);
      expect(read(parser, long, size).map(({ data }) => data)).toEqual(['next']);
      expect(parser.tooLong).toBe(1);
    },
  );
});
