# This file is maintained automatically by "terraform init".
# Manual edits may be lost in future updates.

provider "registry.terraform.io/hashicorp/aws" {
  version     = "6.45.0"
  constraints = ">= 6.28.0, < 7.0.0"
  hashes = [
    "h1:3AH6iQ9/HOSLcnJt+iFrs4b2ss6dTzhFFFlpZFRtASI=",
    "h1:6KxFptRehbcXWgGbZ8hqUb/sIFsk/RcvD+Sk+kfqZHM=",
    "h1:9122qJaCqbyEPHtx1Tfpf5v6deU6YPDaknHN26Cq+9g=",
    "h1:9iE9nzQk27sqZReLAE68kOpVjtvPR/Kkqaq66CEQB2U=",
    "h1:Atkz9y/lvn46TMO5ZS0qfSkPmuZmfN6iMZa9i69G1Vk=",
    "h1:FP7YjNtp2FM1UEHfwkgdrcyqtNGCeMI2P6HFPGYmDfY=",
    "h1:IRQ4EAJQlaQZ/o0sPDHqYyplxCYPw2Lxq8t3RvLoQfQ=",
    "h1:PkT0i752dKTaZMy6345Fuu/1PW/GYsX8jRtCr1Uw9r4=",
    "h1:TKtmzx9bxvnMyMOXXcuNHdcgjtNpo/nYxzs48/Gq7B4=",
    "h1:WD74M5wWrVBH8HsYL6e/ffkphCCfE7l+cTbbGjVXpTY=",
    "h1:ZKsaIefPJ6WqYFFGt2/WOkh9C/JRjbzp4WnpNTeDTRc=",
    "h1:b1h1RVeEnbUkKbVQsT39sdRfQmUEvE4Hotnetu8dRMA=",
    "h1:exJ8if5P1Xaj+SxPMSABoJYxbcg2XyKJ0P+dEHzy5/8=",
    "h1:spCYDCS5ydvQwoSAt0VHUDXK7z0vPN5ADBcQ5ABn9e0=",
    "zh:27e4dfb1122ca2a603a8427b5bb2bd8001f6c8c972bccd6f64dc319806779d4f",
    "zh:395cbba6b316e119102a52e523b7640274be3964569ed33a4a21141e68beb82d",
    "zh:4f0cafa2e609f373e8ba7fdc4172c93e57b1b149165095d23447894973da8c94",
    "zh:676e6f152ea9234090ad4ad60815957d9a0ed558b0395be98d168ee5bfbdcbd3",
    "zh:76451d10c7857a321df8b08d5c160141c3d4bb5f31a5aa5d1a7e597f2286e96b",
    "zh:9b12af85486a96aedd8d7984b0ff811a4b42e3d88dad1a3fb4c0b580d04fa425",
    "zh:aeaeb47dda318debabf51079e3c5c850edd81dfe48da27a68c30f0e999b53889",
    "zh:c5682491a3da8988643b25c2118bb50aba6419e0918f3e69276e52cacb2db9eb",
    "zh:c646eeef45ca8c1a9e2a8768358f5a8235454c629864e481f6afc6421d6781cc",
    "zh:cbaac79b0d6af1a6c685176711fe9326bd72f2c58dfb1dc6c10854b1f132f26e",
    "zh:d54d6dd6f59daae3a9a6f9d857d75f9f55605da061708a268fa436b57b008179",
    "zh:e55137f4f8d89e46a8e457233a85edf499d387ff29a06fda8044c7a56630bfe0",
    "zh:edfa6e69eae9d0cacb17d1791676604a90139bfe21f0b7347f8f71250e15438a",
    "zh:f691e7766607bc83432c403ba4a959e1bfc213655282e7856b95d004ccfabae8",
    "zh:ff97d311aad061f925eb5f90a12979b2fe6a44d9a949490336e3999642cde133",
  ]
}
