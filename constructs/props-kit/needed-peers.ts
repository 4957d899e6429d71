import { IpamError } from '../../operator/errors/ipam-error';

/**
 * Loads the packages that a program installs beside this one, so that one that is missing is named together with the cure. npm leaves
 * optional peers out, and `cdk8s init` brings a cdk8s-plus of another name.
 *
 * @param entry - of this package, as the program imports it
 * @param peers - by name, with what loads each; the calls stand at the caller, where bundlers see them
 * @throws {@link IpamError} `settings/invalid` with every package that is missing
 */
export function needPeers(entry: string, peers: Readonly<Record<string, () => unknown>>): void {
  const names = Object.keys(peers);
  const missing = [...new Set(Object.values(peers).flatMap((load) => missingOf(names, load)))];
  if (missing.length === 0) return;
  const [are, them] = missing.length === 1 ? ['is', 'it'] : ['are', 'them'];
  throw new IpamError(
    'settings/invalid',
    `${entry} needs ${missing.join(', ')}, which ${are} not installed; install ${them} beside this package: npm install ${missing.join(' ')}`,
  );
}

// One peer may be the first to ask for another one that is missing.
function missingOf(names: readonly string[], load: () => unknown): readonly string[] {
  try {
    load();
    return [];
  } catch (thrown) {
    const { code, message } = thrown as { readonly code?: unknown; readonly message?: unknown };
    const missing = code === 'MODULE_NOT_FOUND' ? /'([^']*)'/u.exec(String(message))?.[1] : undefined;
    // any other module is missing inside of a package
    if (missing === undefined || !names.includes(missing)) throw thrown;
    return [missing];
  }
}
