"""Programs that are dangerous by what they are, and the parts of programs that are."""

from collections.abc import Mapping

from holdfast.agents.builtin.danger.places import Danger


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


ROOT = Danger("superuser command", "It runs with the rights of another user.")
DISK = Danger("disk change", "It changes disks or file systems.")
POWER = Danger("system state", "It changes whether the machine or its services run.")
PROCESSES = Danger("process kill", "It ends other processes.")
ACCOUNTS = Danger("account change", "It changes users, groups or passwords.")
KERNEL = Danger("system setting", "It changes how the system works.")
NETWORK = Danger("network setting", "It changes how the machine is connected.")
CONNECTION = Danger("network connection", "It talks to another machine.")
LISTENER = Danger("network listener", "It lets other machines connect to this one.")
REMOTE = Danger("remote copy", "It reads or changes files on another machine.")
UPLOAD = Danger("upload", "It sends data to another machine.")
SCHEDULE = Danger("scheduled command", "It makes something run later, when nobody watches.")
BACKGROUND = Danger("background process", "It leaves something running that nobody watches.")
INSTALL = Danger("package install", "It installs or removes software, whose scripts run with your rights.")
PUBLISH = Danger("publication", "It makes something public.")
CONTAINER = Danger("container command", "It starts, changes or removes containers.")
CLOUD = Danger("cloud command", "It acts on machines or services elsewhere, in your name.")
SECRET = Danger("secret store", "It reads or changes stored secrets.")
SHRED = Danger("permanent delete", "It deletes so that nothing can be brought back.")
RIGHTS = Danger("permission change", "It changes who may read, change or run files.")
RECURSIVE_RIGHTS = Danger("recursive permission change", "It changes the permissions of a whole folder.")
DELETE = Danger("recursive delete", "It deletes a folder with all that is in it.")
WIDE_DELETE = Danger("delete outside the workspace", "It deletes files outside of the workspace.")
MANY_DELETE = Danger("delete by pattern", "It deletes files that are not named one by one.")
DOWNLOADED = Danger("downloaded script", "It runs what it has just downloaded, unseen.")
PIPED = Danger("piped script", "It runs what another command prints, unseen.")
HIDDEN = Danger("hidden command", "What it runs is only known once it runs.")
UNSEEN = Danger("unseen script", "It runs a file that does not exist yet, or that can't be read.")
INLINE = Danger("inline script", "It runs code that deletes, starts programs, writes or uses the network.")
HIJACK = Danger("changed environment", "It changes which programs or libraries are loaded.")
FORCED = Danger("forced push", "It overwrites what others have, and that can't be undone.")
PUSH = Danger("git push", "It publishes commits to another machine.")
DISCARD = Danger("git discard", "It throws away changes or commits that are kept nowhere else.")
GIT_RUN = Danger("git setting", "It changes what git runs or where it sends things.")
LINK_OUT = Danger("link out of the workspace", "It makes a way out of the workspace.")
BOMB = Danger("fork bomb", "It starts itself until the machine stands still.")
CHARACTERS = Danger("hidden characters", "It holds characters that can't be seen, or that look like others.")
UNREADABLE = Danger("unreadable command", "It can't be read as a command, so nobody can say what it does.")

ALWAYS: Mapping[str, Danger] = {
    name: danger
    for names, danger in (
        ("sudo doas su pkexec runuser sudoedit run0 machinectl", ROOT),
        ("mkfs fdisk sfdisk gdisk sgdisk parted wipefs mkswap swapoff swapon cryptsetup mount umount losetup", DISK),
        ("lvremove vgremove pvremove mdadm zpool zfs btrfs diskutil blkdiscard hdparm fsck e2fsck resize2fs dd", DISK),
        ("shutdown reboot halt poweroff init telinit initctl service launchctl rc-service systemd-run", POWER),
        ("kill pkill killall killall5 skill xkill", PROCESSES),
        (
            "passwd chpasswd useradd userdel usermod groupadd groupdel groupmod adduser deluser chsh chfn visudo",
            ACCOUNTS,
        ),
        ("vipw gpasswd newgrp", ACCOUNTS),
        (
            "insmod rmmod modprobe kexec sysctl setenforce update-grub grub-install efibootmgr update-alternatives",
            KERNEL,
        ),
        ("chroot unshare nsenter pivot_root bwrap setpriv capsh defaults csrutil spctl", KERNEL),
        ("iptables ip6tables nft ufw firewall-cmd ifconfig route nmcli ipvsadm tc wg wg-quick brctl arp", NETWORK),
        (
            "nc ncat netcat socat telnet ftp tftp lftp nmap masscan mail mailx sendmail mutt smbclient proxychains",
            CONNECTION,
        ),
        ("ssh sftp scp rclone mosh sshfs autossh sshpass rsh rlogin rexec", REMOTE),
        ("tcpdump tshark ngrok cloudflared localtunnel frpc http-server live-server", LISTENER),
        ("at batch crontab anacron", SCHEDULE),
        ("nohup setsid disown daemonize tmux screen dtach start-stop-daemon", BACKGROUND),
        (
            "npx pnpx bunx uvx pipx easy_install snap flatpak nix-env nix-shell dpkg rpm installer softwareupdate",
            INSTALL,
        ),
        ("kubectl helm terraform tofu pulumi ansible ansible-playbook aws gcloud az doctl heroku fly flyctl", CLOUD),
        ("vercel netlify wrangler gsutil eksctl oci linode-cli hcloud", CLOUD),
        ("security secret-tool pass gopass op bw vault keyring ssh-add ssh-keygen keychain", SECRET),
        ("shred srm wipe scrub", SHRED),
        ("chattr setfacl setcap chown chgrp chflags", RIGHTS),
        ("twine", PUBLISH),
        ("gdb lldb strace ltrace ptrace expect ed ex vi vim nvim emacs nano", HIDDEN),
    )
    for name in names.split()
}
"""Programs that always ask."""

QUIET_PARTS: Mapping[str, tuple[frozenset[str], Danger]] = {
    name: (frozenset(quiet.split()), danger)
    for name, quiet, danger in (
        ("docker", "ps images logs version info inspect stats top port history diff", CONTAINER),
        ("podman", "ps images logs version info inspect stats top port history diff", CONTAINER),
        ("docker-compose", "ps logs version config images top", CONTAINER),
        ("kubectl", "get describe logs version explain top api-resources", CLOUD),
        ("terraform", "plan validate fmt version show output graph", CLOUD),
        (
            "systemctl",
            "status show cat is-active is-enabled is-failed list-units list-unit-files list-timers help",
            POWER,
        ),
        ("gh", "status help version", CLOUD),
        ("ip", "addr address a link route neigh -br -brief", NETWORK),
    )
}
"""Programs of which only these parts are quiet."""

ASKING_PARTS: Mapping[str, tuple[frozenset[str], Danger]] = {
    name: (frozenset(asking.split()), danger)
    for names, asking, danger in (
        ("pip pip3", "install uninstall download wheel config cache", INSTALL),
        ("uv", "add remove sync tool pip run install self python publish", INSTALL),
        ("poetry pdm rye hatch", "add remove install update self publish build env", INSTALL),
        (
            "npm pnpm yarn bun",
            "install i add ci remove rm uninstall update up upgrade exec x dlx create init link",
            INSTALL,
        ),
        ("conda mamba micromamba", "install remove create update env", INSTALL),
        (
            "apt apt-get aptitude",
            "install remove purge upgrade dist-upgrade full-upgrade autoremove update build-dep",
            INSTALL,
        ),
        ("dnf yum zypper", "install remove erase update upgrade localinstall autoremove in rm", INSTALL),
        ("apk", "add del upgrade fix", INSTALL),
        ("brew port", "install uninstall reinstall upgrade remove tap services bundle", INSTALL),
        ("gem", "install uninstall update push", INSTALL),
        ("cargo", "install uninstall publish login owner yank", INSTALL),
        ("go", "install get", INSTALL),
        ("composer bundle", "install update require remove add exec global", INSTALL),
        ("nix", "profile run shell develop", INSTALL),
        ("pacman yay paru", "", INSTALL),
        ("flask", "", LISTENER),
        ("openssl", "s_client s_server", CONNECTION),
        ("gpg gpg2", "", SECRET),
    )
    for name in names.split()
}
"""Programs of which these parts ask; those listed without any ask if an option says what they change."""

PUBLISHING = frozenset({"publish", "push", "login", "logout", "adduser", "token", "deprecate", "unpublish", "owner"})
WRAPPERS = _names(
    "env command builtin exec nice ionice time timeout gtimeout stdbuf xargs parallel watch unbuffer chrt taskset flock"
    " setarch linux64 linux32 script catchsegv busybox toybox caffeinate entr rlwrap fakeroot eatmydata doas sudo nohup"
    " setsid strace ltrace unshare chroot nsenter runuser"
)
"""Programs that run what their arguments name."""
SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "csh", "tcsh", "rbash"})
INTERPRETERS: Mapping[str, frozenset[str]] = {
    name: frozenset(flags.split())
    for names, flags in (
        ("python pypy", "-c"),
        ("perl", "-e -E"),
        ("ruby", "-e"),
        ("node nodejs deno bun", "-e -p --eval --print eval"),
        ("php", "-r"),
        ("lua luajit", "-e"),
        ("osascript", "-e"),
        ("tclsh wish", ""),
        ("rscript julia groovy scala", "-e --eval"),
        ("powershell pwsh", "-c -command -enc -encodedcommand -e"),
    )
    for name in names.split()
}
"""Programs that run code, and how it is given to them in place."""
VARIABLES = _names(
    "PATH LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH BASH_ENV ENV IFS PROMPT_COMMAND"
    " PS4 SHELLOPTS BASHOPTS PYTHONSTARTUP PYTHONHOME PYTHONINSPECT NODE_OPTIONS PERL5OPT PERL5LIB RUBYOPT RUBYLIB"
    " GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_ASKPASS GIT_PROXY_COMMAND"
    " GIT_EXEC_PATH GIT_CONFIG GIT_CONFIG_GLOBAL GIT_CONFIG_COUNT GIT_DIR PAGER EDITOR VISUAL BROWSER LESSOPEN SHELL"
    " JAVA_TOOL_OPTIONS MAKEFLAGS CC_WRAPPER RUSTC_WRAPPER MANPAGER HOME PIP_INDEX_URL NPM_CONFIG_REGISTRY HOLDFAST_RUN"
    " HOLDFAST_RUN_HOME HOLDFAST_CALL"
)
"""Variables that change what runs, or whether it is found again."""
