/** Why a file cannot be made, by the code of the system; the same for every file, and no later try helps. */
export const UNWRITABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'what should be its folder is a file',
  EACCES: 'this user may not write there',
};
