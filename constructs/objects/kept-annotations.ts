/** Annotations by which Helm and Argo CD leave an object alone when the rest goes. */
export const KEEP = {
  'helm.sh/resource-policy': 'keep',
  'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
} as const;

/**
 * Tells whether an object stays when the installation goes.
 *
 * @param annotations - of the object
 * @returns true where it carries {@link KEEP}
 */
export function isKept(annotations: Readonly<Record<string, string>> | undefined): boolean {
  return Object.entries(KEEP).every(([key, value]) => annotations?.[key] === value);
}
