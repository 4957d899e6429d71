/** Where the operator's image comes from. */
export interface OperatorImage {
  /**
   * Host of the registry, with port and path where it has them.
   *
   * @default - none: the container runtime's own default
   */
  readonly registry?: string;
  /**
   * Path of the image behind the registry.
   *
   * @default 'cdk8s-ipam'
   */
  readonly repository?: string;
  /**
   * Tag of the image.
   *
   * @default - the version of this package
   */
  readonly tag?: string;
  /**
   * Digest such as `sha256:…`; it decides where it is given, the tag is then for people.
   *
   * @default - none
   */
  readonly digest?: string;
  /**
   * When a node pulls the image again.
   *
   * @default 'IfNotPresent'
   */
  readonly pullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  /**
   * Names of Secrets of the operator's namespace with which the image is pulled.
   *
   * @default - none
   */
  readonly pullSecrets?: readonly string[];
}

/** Version of the package, which is the default tag; a test holds it against package.json. */
export const PACKAGE_VERSION = '0.1.0';

/**
 * Writes the reference of the image.
 *
 * @param image - where it comes from
 * @returns for example `registry.example/cdk8s-ipam:1.2.3@sha256:…`
 */
export function imageReference(image: OperatorImage = {}): string {
  const { registry, repository = 'cdk8s-ipam', tag = PACKAGE_VERSION, digest } = image;
  const name = registry === undefined ? repository : `${registry.replace(/\/+$/, '')}/${repository}`;
  return digest === undefined ? `${name}:${tag}` : `${name}:${tag}@${digest}`;
}
