import { engines } from '../../../package.json';
import { nodeProblem } from '../../../operator/runtime/node-version';

describe('nodeProblem', () => {
  test.each(['20.19.0', '20.20.2', '22.0.0', '24.21.0'])('takes %s', (version) => {
    expect(nodeProblem('ipam', version)).toBeUndefined();
  });

  test.each(['8.0.0', '18.20.8', '20.18.3'])('names the oldest one that would do in place of %s', (version) => {
    expect(nodeProblem('ipam', version)).toBe(`ipam needs Node.js 20.19 or newer, and this is ${version}`);
  });

  test('says the same as the package', () => {
    expect(engines.node).toBe('>=20.19.0');
  });
});
