import { needPeers } from '../../../../constructs/props-kit/needed-peers';

/** What Node.js throws where a module is missing. */
const missing = (name: string) => (): never => {
  throw Object.assign(new Error(`Cannot find module '${name}'\nRequire stack:\n- /app/main.js`), {
    code: 'MODULE_NOT_FOUND',
  });
};

/** Puts a package away for as long as an entry is loaded anew. */
function loadWithout(peer: string, entry: () => unknown): unknown {
  let result: unknown;
  jest.isolateModules(() => {
    jest.doMock(peer, missing(peer));
    try {
      result = entry();
    } catch (thrown) {
      result = thrown;
    } finally {
      jest.dontMock(peer);
    }
  });
  return result;
}

describe('FU-66 a package that is not installed', () => {
  test('is named with the command that installs it', () => {
    expect(() => {
      needPeers('cdk8s-ipam/constructs', { cdk8s: () => ({}), 'cdk8s-plus-28': missing('cdk8s-plus-28') });
    }).toThrow(
      'cdk8s-ipam/constructs needs cdk8s-plus-28, which is not installed; install it beside this package: npm install cdk8s-plus-28',
    );
    expect(() => {
      needPeers('cdk8s-ipam/infra', { a: missing('a'), b: missing('b') });
    }).toThrow('needs a, b, which are not installed; install them beside this package: npm install a b');
  });

  test('is told apart from what breaks inside of one', () => {
    expect(() => {
      needPeers('cdk8s-ipam/infra', { cdk8s: missing('fast-json-patch') });
    }).toThrow("Cannot find module 'fast-json-patch'");
  });

  test.each([
    ['constructs', 'cdk8s-plus-28', () => jest.requireActual<object>('../../../../constructs/index')],
    ['constructs', 'cdk8s', () => jest.requireActual<object>('../../../../constructs/index')],
    ['infra', '@pulumi/kubernetes', () => jest.requireActual<object>('../../../../infra/index')],
  ])('fails the entry %s by its name: %s', (entry, peer, load) => {
    expect(String(loadWithout(peer, load))).toContain(`cdk8s-ipam/${entry} needs ${peer}, which is not installed`);
  });
});
